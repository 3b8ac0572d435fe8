"""Python's binding of arguments to parameters."""


def bind_arguments(name, spec, args, kwargs, defaults, kwdefaults):
    """Python's binding of arguments to parameters."""
    positional = [a.id for a in (*spec.posonlyargs, *spec.args)]
    env, kwargs = dict(zip(positional, args)), dict(kwargs)
    extra = args[len(positional):]
    if spec.vararg is not None:
        env[spec.vararg.id] = tuple(extra)
    elif extra:
        raise TypeError(f"{name}() takes {len(positional)} positional arguments but {len(args)} were given")
    by_keyword = [a.id for a in spec.args] + [a.id for a in spec.kwonlyargs]
    for key in [k for k in kwargs if k in by_keyword]:
        if key in env:
            raise TypeError(f"{name}() got multiple values for argument {key!r}")
        env[key] = kwargs.pop(key)
    if spec.kwarg is not None:
        env[spec.kwarg.id] = kwargs
    elif kwargs:
        raise TypeError(f"{name}() got an unexpected keyword argument {next(iter(kwargs))!r}")
    for key in (*positional, *(a.id for a in spec.kwonlyargs)):
        if key not in env:
            if key not in (table := kwdefaults if key in kwdefaults else defaults):
                raise TypeError(f"{name}() missing the argument {key!r}")
            env[key] = table[key]
    return env


__all__ = ["bind_arguments"]
