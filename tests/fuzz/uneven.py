"""Templates of the grammar for arrays whose axes differ in length, so that a mistaken axis shows.

Kinds, besides those of `grammar`: u vector of 5, r array of 5 x 4, h array of 2 x 1 x 4 (which broadcasts with m to d), e array of one element.
"""

SCALARS = [
    "{u}[{i}]", "np.sum({u}) * 0.2", "{r}[{i}, {i}]", "np.sum({r} * {v}) * 0.05", "np.mean({r})", "{u} @ {r} @ {v} * 0.05", "{e}[0]", "{e}.sum()", "{e}.item()",
    "np.max({r}[:, {i}])", "np.einsum('ij,j,i->', {r}, {v}, {u}) * 0.05", "{h}[{q} % 2, 0, {i}]", "np.sum({h} * {m}) * 0.05", "{u}[{l}:].sum() * 0.3",
    "{r}[{l}, :{l}].sum() * 0.3", "{r}[:{l} + 1, {l}] @ {u}[:{l} + 1] * 0.2", "np.ptp({u})", "np.median({u})", "np.trapezoid({u}) * 0.2", "len({r}) * 0.1",
    "{r}.shape[1] * 0.1", "{r}.size * 0.01", "np.argmax({r}) * 0.03", "np.linalg.norm({r})", "np.var({r}, ddof=1)", "np.vdot({r}[1:], {m}) * 0.1",
    "np.sum({r}, where={v} > {s}) * 0.1", "np.prod(np.tanh({u}))", "{r}[-1 - {l}:, {l}].sum() * 0.2", "np.trace({r}) * 0.2", "np.quantile({u}, 0.3)",
    "{u}[-1 - {l}]", "np.sum([e.sum() for e in {r}]) * 0.1", "float({e}[0])", "np.squeeze({e})", "np.inner({u}, {u}) * 0.1",
]

VECTORS = [
    "{u} @ {r} * 0.2", "{r}[{i}]", "{r}.sum(axis=0) * 0.2", "np.max({r}, axis=0)", "{u}[1:]", "{u}[:-1]", "np.diff({u})", "({u}[1:] + {u}[:-1]) * 0.5",
    "np.einsum('ij,i->j', {r}, {u}) * 0.2", "np.linalg.solve({r}.T @ {r} * 0.1 + np.eye(4), {r}.T @ {u})", "np.convolve({u}, {v}[:2], 'valid') * 0.3",
    "np.correlate({u}, {v}[1:3], 'valid') * 0.3", "{r}.mean(axis=0) - {v}", "np.sort({r}, axis=0)[{i}]", "{r}[{P}, {P}]", "{r}[:4].diagonal()", "{u}[{P}]",
    "{h}[1, 0]", "{h}.sum(axis=(0, 1)) * 0.5", "({h} * {m}).sum(axis=(0, 2)) * 0.2", "{v} + {e}", "{e} * {v}", "np.repeat({e}, 4)",
    "np.broadcast_to({e}, (4,)) * 0.5", "np.delete({u}, {j})", "{r}.T @ {u} * 0.2", "np.tensordot({u}, {r}, 1) * 0.2", "np.median({r}, axis=0)",
    "np.cumsum({r}, axis=0)[-1] * 0.2", "{r}[np.argmax({r}, axis=0), np.arange(4)]", "np.average({r}, axis=0, weights=np.arange(5) + 1.0)",
    "np.take_along_axis({r}, np.argmin({r}, axis=0)[None], 0)[0]", "np.var({r}, axis=0)", "np.linalg.norm({r}, axis=0)", "({r} > {s}).sum(axis=0) * 0.1",
    "np.concatenate([{u}[3:], {e}, {e}])", "{r}.ravel()[::5]", "{r}.T.ravel()[1:9:2]", "np.minimum.reduce({r})", "np.prod(np.tanh({r}), axis=0)",
    "np.quantile({r}, 0.6, axis=0)", "{r}[{l}:].sum(axis=0) * 0.2", "{u}[::-1][:4]", "np.max({r}, axis=0, where={u}[:, None] > {s}, initial=0.1)",
    "np.array([e.max() for e in {r}.T])", "np.ptp({r}, axis=0)",
]

MATRICES = [
    "{r}.T @ {r} * 0.1", "{r}[1:]", "{r}[:4]", "{r}[::-1][:4]", "np.delete({r}, {j}, axis=0)", "({h} + {m})[{q} % 2]", "({h} * {v}[:, None])[0]", "{r}[{P}]",
    "np.einsum('ki,kj->ij', {r}, {r}) * 0.1", "np.cov({r}, rowvar=False)", "np.diff({r}, axis=0)", "{r}[:4] * {r}[1:]", "np.tensordot({r}, {r}, ([0], [0])) * 0.1",
    "({r} * {u}[:, None]).T @ {r} * 0.1", "np.outer({u}[1:], {v}) * 0.3", "{v}[:, None] * {e}* {v}", "np.lib.stride_tricks.sliding_window_view({u}, 2) @ {m}[:2]",
    "np.stack([{r}[0], {v}, {r}[2], {r}[-1]])", "np.cumsum({r}, axis=1)[:4] * 0.3", "({u}[:, None] * {r})[1:]",
]

FIVES = [
    "{u}", "{r} @ {v} * 0.2", "{r}[:, {i}]", "{r}.sum(axis=1) * 0.2", "np.append({v}, {s})", "np.linspace(0.1, 0.8, 5)", "{u}[::-1]", "np.full(5, {s})",
    "np.convolve({v}, {v}[:2]) * 0.3", "np.interp(np.linspace(0.0, 1.0, 5), np.linspace(0.0, 1.0, 4), {v})", "np.insert({v}, {j}, {s})", "np.pad({v}, (0, 1))",
    "np.concatenate([{v}, {e}])", "np.r_[{e}, {v}]", "np.cumsum({u}) * 0.2", "np.sort({u})", "np.max({r}, axis=1)", "np.argsort({u}) * 0.1", "{u} * 1.0",
    "np.einsum('ij,j->i', {r}, {v}) * 0.2", "np.array([e @ {v} for e in {r}]) * 0.2", "np.linalg.norm({r}, axis=1)", "np.mean({r}, axis=1)", "np.arange(5) * {s}",
    "np.array([a * b.sum() for a, b in zip({u}, {r})]) * 0.3", "{r}[:, {q} % 4]", "{u} * {e}", "np.diff({u}, prepend={s})", "np.roll({u}, 2)", "np.tile({e}, 5)",
    "np.linalg.solve({r} @ {r}.T * 0.1 + np.eye(5), {u})", "{r}[np.arange(5), np.argmax({r}, axis=1)]", "({r} @ {m})[:, {i}] * 0.2", "{r}.T[{i}]", "np.ones(5)",
    "np.flip({u})", "np.bincount({P}, weights={v}, minlength=5)", "np.trapezoid({r}, axis=1) * 0.3", "({u} > {s}) * {u}", "np.zeros(5)", "{r}[:, {l}]",
    "np.concatenate([{u}[{l}:], {u}[:{l}]])", "np.ravel({r})[3:18:3]", "np.hstack([{v}, {s}])", "np.sum({r}, axis=1, where={v} > {s}) * 0.3",
    "np.apply_along_axis(np.sum, 1, {r}) * 0.2", "np.squeeze({r}[:, 1:2], axis=1)", "np.max(np.stack([{u}, {u}[::-1]]), axis=0)",
]

FIVES_OF = [
    "({U} + {U}) * 0.5", "{U} * {U} * 0.5", "np.tanh({U})", "np.where({U} > {U}, {U}, {S})", "{U} * {S}", "np.maximum({U}, {S})", "-{U}", "np.sin({U}) + {S}",
    "{U} / (2.0 + {U} ** 2)", "np.where({u} > {s}, {U}, {U} * 0.5)", "np.roll({U}, 1)", "np.clip({U}, 0.2, {c} + 0.5)", "np.concatenate([{U}[2:], {U}[:2]])",
    "({U} if {B} else {U})", "np.append({V}, {S})", "scaled({U})", "scaler({U})({U})", "np.outer({U}, {V})[:, {i}]",
]

GRIDS = [
    "{r}", "np.outer({u}, {v}) * 0.3", "{u}[:, None] * {v}", "{r} * {v}", "{u}[:, None] + {r}", "{r}[::-1]", "np.vstack([{m}, {v}])", "{r} @ {m} * 0.2",
    "np.tanh({r})", "np.concatenate([{m}, {v}[None]])", "np.stack([{u}, {u} * 0.5, np.sin({u}), {u}], axis=1)", "np.stack([{u}, {u} * {s}, {u}, {u}]).T",
    "np.tile({v}, (5, 1))", "np.repeat({v}[None], 5, axis=0)", "np.broadcast_to({v}, (5, 4)) * {s}", "np.roll({r}, 1, axis=0)", "np.roll({r}, 1, axis=1)",
    "np.cumsum({r}, axis=0) * 0.2", "np.sort({r}, axis=0)", "np.sort({r}, axis=1)", "np.where({r} > {u}[:, None], {r}, {v})", "np.meshgrid({v}, {u})[1]",
    "np.pad({m}, ((0, 1), (0, 0)))", "{r}.T.reshape(5, 4)", "np.concatenate([{m}.ravel(), {v}]).reshape(5, 4)", "np.insert({m}, {j}, {v}, axis=0)",
    "{r} - {r}.mean(axis=0)", "np.zeros((5, 4))", "{r} - {r}.mean(axis=1, keepdims=True)",
    "np.lib.stride_tricks.sliding_window_view(np.concatenate([{v}, {v}]), 4) * 0.5", "{r}[:, ::-1]", "{r}[:, ORDER]", "np.take({r}, [4, 0, 2, 2, 1], axis=0)",
    "np.maximum.outer({u}, {v})", "np.add.outer({u}, {v}) * 0.5", "np.flip({r}, axis=1)", "np.full((5, 4), {v}) * 0.5", "np.einsum('i,ij->ij', {u}, {r}) * 0.5",
    "np.einsum('ij,jk->ik', {r}, {m}) * 0.2", "np.kron({u}[:, None], {v}[:1]) * np.ones(4)", "np.cumsum({r}, axis=1) * 0.3",
    "np.where({u}[:, None] > {s}, {r}, {r} * 0.5)", "np.where({v} > {s}, {r}, 0.3)", "np.array([{v} * e for e in {u}]) * 0.5", "np.gradient({r}, axis=0)",
    "np.array([[a * b for b in {v}] for a in {u}]) * 0.3", "np.linalg.qr({r} + np.eye(5, 4) * 3.0)[0] @ {m} * 0.3", "np.eye(5, 4) * {s}", "np.tril({r})",
    "{r}.copy()", "np.take_along_axis({r}, np.argsort({r}, axis=0), axis=0)", "{r} * {e}", "np.multiply({r}, {u}[:, np.newaxis]) * 0.5",
    "np.diff({r}, axis=0, prepend={s})", "np.moveaxis({r}[None], 0, 1)[:, 0]", "np.column_stack([{u}, {r}[:, 1:]])",
    "np.choose(({r} > {s}).astype(int), [{r}, {v}])", "np.hypot({r}, {v})",
]

SIMPLE = [
    "{u+} = {U}", "{u+} = {U} * 1.0", "{r+} = {R}", "{r+} = {R} * 1.0", "{h+} = np.stack([{V}, {V}])[:, None]", "{h+} = {d}[:, 2:3] * 0.5",
    "{e+} = np.array([{S}])", "{e+} = {V}[1:2] * 1.0", "{e+} = np.full(1, {S})", "{h+} = np.zeros((2, 1, 4))", "{d+} = {h} * {m}", "{d+} = {h} + {v}[:, None]",
    "{u=} = np.tanh({U})", "{u=} += {U} * 0.2", "{u=} *= {S}", "{r=} *= 0.8", "{r=} = np.tanh({R})", "{r=} += {V} * 0.1", "{r=} *= {u}[:, None]",
    "{r=} -= {U}[:, None] * 0.1", "{h=} *= 0.5", "{h=} += {V} * 0.1", "{h=}[{q} % 2, 0, {i}] = {S}", "{h=}[:, 0] = {V}", "{h=}[1] += {V} * 0.2", "{d=} *= {h}",
    "{d=} += {h} * 0.3", "{d=}[...] = {h}", "{e=}[0] = {S}", "{e=} *= 0.5", "{e=} += {S} * 0.2", "{v=} += {e} * 0.2", "{v=}[:] = {e}", "{e=}[:] = {v}[{i}]",
    "{u=}[:] = {e}", "{u=}[{i}] = {S}", "{u=}[1:] = {V}", "{u=}[:4] += {V} * 0.2", "{u=}[::2] *= 0.5", "{u=}[1::2] = {V}[:2]", "{u=}[{P}] += {s} * 0.1",
    "{u=}[{u} > {s}] *= 0.5", "{u=}[1:] += {u}[:-1] * 0.3", "{u=}[:-1] = {u}[1:] * 0.9", "{u=}[::-1] = {u} * 0.9", "{u=}[{l}:] *= 0.9",
    "{u=}[{l} + 1] = {u}[{l}] * 0.5 + {S} * 0.3", "{u=}.sort()", "np.add.at({u=}, {P}, {V} * 0.2)", "np.add.at({u=}, [0, 4, 4], {S} * 0.2)",
    "np.add.at({r=}, ({P}, {P}), {s} * 0.1)", "np.add.at({r=}, [0, 4, 4, 1], {M} * 0.1)", "{r=}[{i}] = np.copy({V})", "{r=}[:, {i}] = np.copy({U})",
    "{r=}[{i}, {i}] = {S}", "{r=}[:, {i}] += {U} * 0.2", "{r=}[1:4, ::2] = {s}", "{r=}[::2, 1::2] *= 0.5", "{r=}[:] = {V} * 1.0", "{r=}[...] = {U}[:, None]",
    "{r=}[1::2] = {V} * 0.5", "{r=}[:, 1:3] = {U}[:, None] * 1.0", "{r=}.T[{i}] = {U} * 0.5", "{r=}.T[:, {i}] += {V} * 0.2", "{r=}[{r} > {s}] *= 0.5",
    "{r=}[{u} > {s}] = {V} * 1.0", "{r=}[:, {W}] *= 0.5", "{r=}[{u} > {s}, {i}] = {S}", "{r=}[{P}] += {V} * 0.1", "{r=}[{P}, {P}] = {s}",
    "{r=}[1:] = {r}[:-1] * 0.9", "{r=}[1:] += {r}[:-1] * 0.2", "{r=}[::-1, ::2] *= 0.5", "{r=}[[0, 4]] = {r=}[[4, 0]]", "{r=}[:, [0, 3]] = {r=}[:, [3, 0]]",
    "{r=}.reshape(4, 5)[{i}] *= 0.5", "{r=}.reshape(20)[::7] += {s} * 0.2", "{r=}.ravel()[3:9] *= 0.5", "{r=}[{l}, {l}:] = {v}[{l}:] * 0.5",
    "{r=}[{l} + 1] = {r}[{l}] * 0.5 + {V} * 0.3", "{r=}[:{l} + 1, {l}] = {u}[:{l} + 1] * 0.5", "{r=}[{l}:, {l}] -= {U}[{l}:] * 0.1", "np.fill_diagonal({r=}, {S})",
    "np.tanh({r}, out={r=})", "np.add({r}, {V}, out={r=})", "np.multiply({u}, {S}, out={u=})", "np.sum({r}, axis=1, out={u=})\n{u=} *= 0.3",
    "np.max({r}, axis=0, out={v=})", "np.copyto({r=}, {V} * 1.0)", "np.copyto({r=}, {v}, where={r} > {s})", "np.putmask({r=}, {r} > {s}, {V} * 1.0)",
    "np.put({u=}, [0, 4], {S})", "{r=}[np.ix_([0, 4], [1, 3])] += {s} * 0.1", "{r=}[np.tril_indices(4)] *= 0.9", "{u+} = {r=}[:, 1]\n{u^} *= 0.5",
    "{u+} = {r=}[:, {i}]\n{u^}[0] = {S}\n{r=}[1] = {V}", "{v+} = {r=}[{i}]\n{v^} -= {v^}.mean()", "{v+} = {r=}[-1]\n{v^}[1:] += {s} * 0.1",
    "{t+} = {r=}[1:4, ::2]\n{t^} += {s} * 0.2\n{t^}[:, 0] = {V}[1:]", "{t+} = {r=}.T\n{t^}[{i}] *= 0.5\n{t^} += {U} * 0.1",
    "{t+} = {r=}.T[1:, ::-2]\n{t^}[:, 0] = {V}[1:]", "{v+} = {u=}[1:]\n{v^} *= 0.5\n{v^}[{i}] = {S}", "{v+} = {u=}[3::-1]\n{v^}[0] = {S}",
    "{t+} = {u=}[::2]\n{t^} += {t^}[::-1] * 0.3", "{m+} = {r=}[1:]\n{m^}[{i}] = {V}", "{m+} = {r=}[:4]\n{m^} += {m^}.T * 0.2",
    "{t+} = {r=}.reshape(2, 2, 5)\n{t^}[1, :, {i}] = {S}\n{t^}[:, 0] *= 0.5", "bump({u=}, {S} * 0.2)", "bump({r=}[:, {i}])", "bump({r=}.T, w={U})",
    "{v+}, {t+} = {r=}[{i}], {r=}[1:]\n{t^} *= 0.7\n{v^}[1] = {S}", "{t+} = upper({r=})\n{t^}[{l}] *= 0.5", "{u=}, {u=} = {u}, {u}",
    "{r=}[{i}], {r=}[{i}] = {r}[{i}].copy(), {r}[{i}].copy()", "{t+} = {h=}[:, 0]\n{t^}[1] = {V}\n{t^}[0, {i}] += {S} * 0.2",
    "{t+} = {h=}.reshape(8)\n{t^}[::3] *= 0.5", "{t+} = {v=}[:, None]\n{t^}[1:] *= 0.5", "{t+} = {u=}[None]\n{t^}[0, {i}] = {S}",
    "{t+} = State({u=}, {S})\n{s+} = {t^}.step({S}) + {t^}.size", "{s+}, *{t+} = {u}\n{s+} = sum({t^}) * 0.2", "{t+} = [*{r}]\n{v+} = {t^}[0] * {t^}[-1]",
]

NESTED = [
    "for {v+} in {r=}:\n    {block}", "for {u+} in {r=}.T:\n    {u^}[{i}] = {S}\n    {block}",
    "for {l+}, {v+} in enumerate({r=}[:4]):\n    {v^}[{l^}] = {S}\n    {block}", "for {v+}, {s+} in zip({r=}, {u}):\n    {v^} *= {s^}\n    {block}",
    "for {s+} in {u} * 1.0:\n    {block}", "for {v+}, {s+} in zip({r=}[::-1], {v}):\n    {v^} *= {s^}\n    {block}",
    "for {l+} in range(4):\n    {r=}[{l^} + 1] = {r}[{l^}] * 0.5 + {V} * 0.3\n    {block}",
    "for {l+} in range(4):\n    {u=}[{l^} + 1] = {u}[{l^}] * 0.5 + {S} * 0.3\n    {block}",
    "for {l+} in range(3):\n    {r=}[1:4, 1:3] = ({r}[:3, 1:3] + {r}[2:, 1:3] + {r}[1:4, :2] + {r}[1:4, 2:]) * 0.25\n    {block}",
    "{r+} = np.zeros((5, 4))\nfor {l+} in range(4):\n    {r^}[{l^}] = {V}\n    {block}\n    {r^}[:, {l^}] += {U} * 0.1",
    "{r+} = np.zeros((5, 4))\nfor {l+} in range(4):\n    for {l+} in range(4):\n        {r^}[{l^} + 1, {l^}] = {r^}[{l^}, {l^}] * 0.5 + {S} * 0.3",
    "{t+} = []\nfor {v+} in {r}:\n    {t^}.append({v^} * {s})\n    {block}\n{r+} = np.stack({t^})",
    "for {l+} in range(4):\n    {u+} = {r=}[:, {l^}]\n    {u^} -= {u^}.mean() * 0.5\n    {block}",
    "for {l+} in range(4):\n    {t+} = {r=}[{l^}:, {l^}]\n    {t^} *= 0.5\n    {block}", "for {l+} in range(1, 4):\n    {r=}[{l^}:, :{l^}] *= 0.9\n    {block}",
    "for {l+} in range(4):\n    {e=} *= 0.9\n    {e=}[0] += {v}[{l^}] * 0.2\n    {block}",
    "for {l+}, {l+} in np.ndindex(3, 4):\n    {r=}[{l^} + 1, {l^}] += {s} * 0.1",
]
