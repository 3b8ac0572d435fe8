"""Environment settings of the backend, all read here, when first needed.

    TRANSFORMER_PLATFORMS        comma-separated platforms to try, best first: cpu, cuda, rocm, tpu (default: see `plugins`)
    TRANSFORMER_PJRT_PLUGINS     "platform:path,platform:path": where plugins are that are not installed as packages
    TRANSFORMER_NUM_CPU_DEVICES  number of devices the CPU client shows (default 1)
    TRANSFORMER_CPU_ENABLE_ASYNC_DISPATCH
                                 1: programs on CPU run in a thread of their own and calls return before they are done. The way to that
                                 thread and back takes 10 to 25 us, so that by default a call runs its program itself
    TRANSFORMER_CACHE_SIZE       compiled programs kept in memory (default 4096)
    TRANSFORMER_CACHE_DIR        folder of the disk cache of compiled programs, or "off" (default: see `disk`)
    TRANSFORMER_CACHE_LIMIT      bytes that the disk cache may take (default 1 GiB); what was used longest ago is dropped
    TRANSFORMER_RECYCLED_BYTES   bytes of large results that are kept when nobody needs them any more, so that the next call can use their
                                 memory, or "off" (default: a sixteenth of the machine's memory; see `recycling`)
    TRANSFORMER_XLA_OPTIONS      more compile options, "name=value,name=value"; they win over the built-in policy
    TRANSFORMER_DUMP             folder into which the StableHLO text of every compiled program is written
"""

import os

mesh_blocks = []
"""Functions that are called with 1 and -1 where a `with mesh:` block begins and ends, in any thread."""

chosen = {}
"""Settings made by the program (`transformer.config`); they win over the environment."""


def platforms():
    """Names of platforms, best first; none where the choice is free."""
    text = chosen.get("platforms") or os.environ.get("TRANSFORMER_PLATFORMS", "")
    return [p.strip().lower() for p in text.split(",") if p.strip()]


def plugin_paths():
    """Platform -> path of its plugin."""
    pairs = [p.split(":", 1) for p in os.environ.get("TRANSFORMER_PJRT_PLUGINS", "").split(",") if p.strip()]
    for pair in pairs:
        if len(pair) != 2:
            raise ValueError(f"TRANSFORMER_PJRT_PLUGINS: {pair[0]!r} has no path; write platform:path,platform:path")
    return {name.strip().lower(): path.strip() for name, path in pairs}


def num_cpu_devices():
    return chosen.get("num_cpu_devices") or _positive("TRANSFORMER_NUM_CPU_DEVICES", 1)


def cpu_async_dispatch():
    """Whether a call on CPU returns before its program has run."""
    value = chosen.get("cpu_enable_async_dispatch")
    return _flag("TRANSFORMER_CPU_ENABLE_ASYNC_DISPATCH", False) if value is None else bool(value)


def cache_size():
    return _positive("TRANSFORMER_CACHE_SIZE", 4096)


def is_cache_dir_named():
    return bool(os.environ.get("TRANSFORMER_CACHE_DIR"))


def cache_dir():
    """The folder of the disk cache; None if it is off."""
    named = os.environ.get("TRANSFORMER_CACHE_DIR", "")
    if named.lower() in ("off", "0", "none", "false"):
        return None
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return named or os.path.join(base, "transformer") if named or os.path.isabs(base) else None


def cache_limit():
    return _positive("TRANSFORMER_CACHE_LIMIT", 1 << 30)


def recycled_bytes():
    if os.environ.get("TRANSFORMER_RECYCLED_BYTES", "").strip().lower() in ("off", "0"):
        return 0
    try:
        physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        physical = 1 << 33  # the system does not tell
    return _positive("TRANSFORMER_RECYCLED_BYTES", physical // 16)


def dump_dir():
    return os.environ.get("TRANSFORMER_DUMP") or None


def xla_options():
    """(name, value) pairs; booleans and integers are recognised."""
    pairs = [p.split("=", 1) for p in os.environ.get("TRANSFORMER_XLA_OPTIONS", "").split(",") if p.strip()]
    for pair in pairs:
        if len(pair) != 2:
            raise ValueError(f"TRANSFORMER_XLA_OPTIONS: {pair[0]!r} has no value; write name=value,name=value")
    return tuple((name.strip(), _value(text.strip())) for name, text in pairs)


def _value(text):
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    return int(text) if text.lstrip("-").isdigit() else text


def _flag(name, default):
    text = os.environ.get(name, "").strip().lower()
    if text not in ("", "0", "1", "false", "true", "off", "on"):
        raise ValueError(f"{name} is {text!r}; it must be 0 or 1")
    return text in ("1", "true", "on") if text else default


def _positive(name, default):
    text = os.environ.get(name, "")
    if not text:
        return default
    if not text.isdigit() or int(text) < 1:
        raise ValueError(f"{name} is {text!r}; it must be a positive integer")
    return int(text)
