"""PJRT plugins: the libraries through which XLA reaches GPUs and TPUs, found by entry point or path and loaded with jaxlib alone.

    TRANSFORMER_PLATFORMS=cuda                                   use that platform; an error if it cannot be had
    TRANSFORMER_PLATFORMS=cuda,cpu                               the first that can be had
    TRANSFORMER_PJRT_PLUGINS=cuda:/path/to/xla_cuda_plugin.so    where to find a plugin

Without TRANSFORMER_PLATFORMS a GPU or TPU is used where its plugin and driver are installed, else the CPU.
"""

import ctypes
import importlib.util
import pathlib
import warnings

from . import cuda, settings

PACKAGES = {
    "cuda": (("jax_plugins.xla_cuda13", "jax_plugins.xla_cuda12"), "xla_cuda_plugin.so", "pip install 'transformer[cuda13]' or 'transformer[cuda12]'"),
    "rocm": (("jax_plugins.xla_rocm7", "jax_plugins.xla_rocm60"), "xla_rocm_plugin.so", "install the jax-rocm7-pjrt package"),
    "tpu": (("libtpu",), "libtpu.so", "pip install 'transformer[tpu]'"),
}
"""Platform -> (packages that hold its plugin, the file's name, how to install one)."""

DRIVERS = {"cuda": ("libcuda.so.1", "NVIDIA's driver"), "rocm": ("libamdhip64.so", "AMD's ROCm runtime")}
ALIASES = {"gpu": ("cuda", "rocm")}
GROUP = "jax_plugins"
"""The entry point group under which such packages announce their plugins."""


class Unavailable(RuntimeError):
    """A platform that cannot be had here; the message says what is missing."""


def expanded(platforms):
    """Platform names with "gpu" replaced by what it stands for."""
    return [p for name in platforms for p in ALIASES.get(name, (name,))]


def library_path(platform):
    """The plugin's file: from TRANSFORMER_PJRT_PLUGINS, an installed package, or an entry point. Raises Unavailable."""
    given = settings.plugin_paths().get(platform)
    if given:
        if not pathlib.Path(given).exists():
            raise Unavailable(f"TRANSFORMER_PJRT_PLUGINS names {given} for {platform}, which does not exist")
        return pathlib.Path(given)
    packages, file, advice = PACKAGES.get(platform, ((), "", ""))
    for package in packages:
        for folder in folders(package):
            if (folder / file).exists():
                return folder / file
    for entry in metadata().entry_points(group=GROUP):
        if entry.name in (platform, f"xla_{platform}"):
            for folder in folders(entry.module):
                for path in sorted(folder.glob("*plugin*.so")):
                    return path
    if not advice:
        known = ", ".join(["cpu", *PACKAGES])
        raise Unavailable(f"there is no platform {platform!r}; known: {known}. Others need their path: TRANSFORMER_PJRT_PLUGINS={platform}:/path/to/plugin.so")
    raise Unavailable(f"the plugin for {platform} is not installed: {advice}")


def metadata():
    """importlib.metadata, which takes a while to import."""
    import importlib.metadata
    return importlib.metadata


def folders(package):
    """Where a package lies, found without importing it."""
    try:
        spec = importlib.util.find_spec(package)
    except ModuleNotFoundError:
        return []
    return [pathlib.Path(p) for p in (spec.submodule_search_locations or ())] if spec else []


def check_driver(platform):
    """Raises Unavailable where the driver that a plugin needs is missing."""
    library, what = DRIVERS.get(platform, (None, None))
    if library is None:
        return
    try:
        ctypes.CDLL(library)
    except OSError:
        raise Unavailable(f"the plugin for {platform} is installed, but {what} ({library}) is not: install it, or set TRANSFORMER_PLATFORMS=cpu") from None


def make_client(xla, platform):
    """A client of a platform. Raises Unavailable with what is missing."""
    path = library_path(platform)
    check_driver(platform)
    check_version(path)
    failed = cuda.preload() if platform == "cuda" else []
    if not xla.pjrt_plugin_loaded(platform):
        try:
            c_api = xla.load_pjrt_plugin_dynamically(platform, str(path))
        except (xla.XlaRuntimeError, RuntimeError) as error:
            raise Unavailable(f"the plugin {path} does not load: {first_line(error)}") from error
        if platform == "cuda":
            cuda.register(xla, path, c_api)
    try:
        if not xla.pjrt_plugin_initialized(platform):
            xla.initialize_pjrt_plugin(platform)
        return xla.make_c_api_client(platform, options(xla, platform), None)
    except (xla.XlaRuntimeError, RuntimeError) as error:
        hint = f"; libraries that do not load: {', '.join(name for name, _ in failed)}" if failed else ""
        raise Unavailable(f"{platform} does not start (plugin {path}): {first_line(error)}{hint}") from error


def check_version(path):
    """A warning where a plugin from a package is not of jaxlib's version: they are made for each other."""
    package = f"jax-{path.parent.name.removeprefix('xla_')}-pjrt"
    try:
        found = metadata().version(package)
    except metadata().PackageNotFoundError:
        return
    wanted = metadata().version("jaxlib")
    if found != wanted:
        warnings.warn(f"{package} is version {found}, jaxlib is {wanted}: install the same version of both", stacklevel=3)


def options(xla, platform):
    """Client options: how GPU memory is taken, from the XLA_PYTHON_CLIENT_... environment variables."""
    return xla.generate_pjrt_gpu_plugin_options() if platform in ALIASES["gpu"] else {}


def installed():
    """Platforms whose plugin is installed, best first."""
    found = []
    for platform, (packages, _, _) in PACKAGES.items():
        if platform in settings.plugin_paths() or any(map(folders, packages)):
            found.append(platform)
    return found


def first_line(error):
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


__all__ = ["Unavailable", "expanded", "installed", "library_path", "make_client"]
