"""What XLA tells of a compiled program; on several devices, of one of them."""


class Loaded:
    """A program that is loaded on its devices; `loaded` is jaxlib's handle of it."""

    def hlo_text(self):
        """XLA's optimised program."""
        return self.loaded.get_hlo_text()

    def cost_analysis(self):
        """XLA's estimate: a dict with "flops", "bytes accessed"..."""
        cost = self.loaded.cost_analysis()
        return cost[0] if isinstance(cost, list) else cost

    def memory_analysis(self):
        """XLA's account of argument, output, temporary and code bytes."""
        return self.loaded.get_compiled_memory_stats()


__all__ = ["Loaded"]
