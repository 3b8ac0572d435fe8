"""Templates of the grammar for further habits of Python and of NumPy: comprehensions with conditions, chains of np.where, loops with several exits,
functions with defaults, einsum, updates in place with every operator."""

SCALARS = [
    "sum(a for a in {v} if a > {s}) * 0.3", "len([a for a in {v} if a > {s}]) * 0.1", "[a * 0.5 for a in {v}][{i}]", "max(a * b for a, b in zip({v}, {v}[::-1]))",
    "sum(i * a for i, a in enumerate({v}, 1)) * 0.1", "sum(a - b for a, b in zip({v}, {v}[1:]))", "sum(map(helper, {v}, {v}[::-1])) * 0.3", "sorted({v})[1]",
    "max({v}, key=lambda a: abs(a - {s}))", "min(enumerate({v}), key=lambda e: e[1])[0] * 0.1", "sorted({v}, reverse=True)[{i}]", "{v}[1:][::-1][::2].sum() * 0.3",
    "{v}.dot({v}) * 0.1", "divmod({s}, 0.7)[1]", "int({s} * 3) * 0.1", "round({s} * 3) * 0.1", "np.round({s}, 1)", "pow({s}, 2)", "abs(min({v}))", "{s} ** 3 * 0.2",
    "{s} // 0.3 * 0.1", "np.einsum('i,i->', {v}, {v}) * 0.1", "np.einsum('ii', {m}) * 0.2", "np.einsum('ij,ij->', {m}, {m}) * 0.05",
    "np.einsum('i,ij,j', {v}, {m}, {v}) * 0.02", "np.quantile({v}, 0.3)", "np.percentile({v}, 60)", "np.std({v} + TABLE)", "np.linalg.norm({m})",
    "np.nansum({v}) * 0.2", "np.nanmax({v})", "np.min({v}[1:])", "sum([{v}[j] * {v}[-j] for j in range(1, 4)]) * 0.2",
    "sum({v}[j] for j in range(4) if j != {q}) * 0.2", "sum(a * j for j, a in zip(range(3), {v}) if j % 2 == 0)",
    "sum(a for row in {m} for a in row if a > {s}) * 0.05", "{v}[[True, False, True, True]].sum() * 0.2", "[*{v}, {s}][-{j}]", "dict(a={s}, b={c})['a']",
    "sum({{j: {v}[j] for j in range(4) if j != {j}}}.values()) * 0.2", "total(*{v}, weight=0.2)", "total(*[a for a in {v}][1:])", "functools.reduce(helper, {v})",
    "np.sum({v}[{v} > {v}.mean()]) * 0.3", "np.mean({v}[{v} >= {v}[{i}]])", "{v}[{W}].max(initial=0.1)", "np.all({v} > {c}) * {s}",
    "sum(next(zip(*[[{s}, {c}], [{s}, {s}]])))", "(lambda *a, w=0.5: sum(a) * w)({s}, {c})", "(lambda a, b=0.3, *c: a * b + len(c))({s}, {s}, {s})",
    "first_above({v}[::-1], {s})", "np.count_nonzero({m} > {s}) * 0.05", "{p}[{p}.argmax()] * 0.1", "({p} @ {p}) * 0.02", "np.sum({p} * {v}) * 0.1",
    "({q} & 1) * 0.5", "({q} << 1) * 0.05", "{q} % 3 / 4", "-{q} // 2 * 0.1", "int({b}[{i}]) * {s}", "True + {s}", "({s} > {c}) + ({s} < {c}) * 0.5",
    "min({q}, {s})", "max({s}, {q} * 0.2, {c})", "np.add.reduce({v}) * 0.2", "np.maximum.reduce({v})", "math.sqrt(1.0 + {s} ** 2)", "math.hypot({s}, 0.5)",
    "math.pi * {s} * 0.2", "np.e ** -abs({s})", "np.pi * {s} * 0.2", "np.inf if {s} > 1e9 else {s}", "np.square({s})", "np.reciprocal(1.5 + {s} ** 2)",
]

SCALARS_OF = [
    "({S} if {B} else {S} if {B} else {S})", "np.where({B}, {S}, np.where({B}, {S}, np.where({B}, {S}, 0.3)))", "({S} and {S})", "({S} or {c})",
    "divmod({S}, 0.6)[1]", "helper(b={S}, a={S})", "(lambda a, *, w={S}: a * w)({S})", "functools.partial(helper, b={S})({S})", "(lambda f: f(f({S})))(np.tanh)",
    "sum((a, b)[1] for a, b in [({S}, {S})] * 2)", "min([{S}, {S}], key=lambda a: a * a)", "sum(a for a in [{S}, {S}, {S}] if a > {c})",
    "[a for a in ({S}, {S})][::-1][0]", "np.max([{S}, {S}])", "np.array([{S}, {S}]).min()", "np.sum([a * 0.5 for a in ({S}, {S})])", "np.mean([{S}, {S}, 1])",
    "np.array([[{S}], [{S}]])[1, 0]", "({B}) * {S} + (not {B}) * {S}", "abs({S} - {S})",
]

VECTORS = [
    "np.where({v} < {c}, {v} * 0.5, np.where({v} < 1.0, {v} ** 2, np.sqrt({v} ** 2 + 1.0)))", "np.array([{v}[j] * {v}[-j] for j in range(4)])",
    "np.array(sorted({v}))", "np.array([a + j for j, a in enumerate({v})]) * 0.3", "np.array([*{v}[2:], *{v}[:2]])", "np.array([{v}[a] for a in {P}])",
    "np.array(list(map(np.sin, {v})))", "np.array([fn(a) for fn, a in zip([np.sin, np.cos, np.tanh, abs], {v})])", "np.array([max(a, {s}) for a in {v}])",
    "{v}[np.argsort(-{v})]", "{v}[{v}.argsort()][::-1]", "np.einsum('ij,j->i', {m}, {v}) * 0.1", "np.einsum('ii->i', {m})", "np.einsum('ij->j', {m}) * 0.2",
    "np.einsum('...j,j->...', {m}, {v}) * 0.1", "np.einsum('ij,ij->i', {m}, {m}) * 0.1", "np.minimum.reduce({m})", "np.add.reduce({m}, axis=1) * 0.2",
    "np.maximum.accumulate({v})", "np.multiply.accumulate(np.tanh({v}))", "np.nanmean({m}, axis=0)", "np.median({m}, axis=1)", "np.quantile({m}, 0.4, axis=0)",
    "np.sort({m}, axis=1)[:, {j}]", "np.argmax({m}, axis=1) * 0.1", "{m}[np.arange(4), np.argmax({m}, axis=1)]", "{m}[{W}].sum(axis=0) * 0.2",
    "np.max({m}, axis=0, where={W}[:, None], initial=0.1)", "np.logical_xor({W}, {W}) * {v}", "np.digitize({v}, [0.3, 0.6, 0.9]) * 0.2", "np.rot90({m})[{i}]",
    "{v} ** {p} * 0.1", "{p} ** 2 / 9", "{v} * {b} + {p} * 0.1", "np.where({b}, {p}, {v})", "np.minimum({p}, {v})", "{p} / ({p} + 1)", "{p} % 3 * {s}",
    "{v} // 0.3 * 0.1", "np.divmod({v}, 0.7)[1]", "np.floor_divide({p}, 2) * 0.3", "np.array([[a, a * 0.5] for a in {v}])[:, 1]",
    "np.array([a if a > {s} else b for a, b in zip({v}, {m}[1])])", "np.array([row[i] for i, row in enumerate({m})])", "{b}.astype(float)",
    "np.array([sum(row[:i]) for i, row in enumerate({m})]) * 0.2", "np.stack([row.max() for row in {m}])", "np.array([e for e in {v} for _ in range(2)])[::2]",
    "{p}.astype(float) * 0.2", "np.square({v})", "np.sqrt({v} ** 2 + 0.1)", "np.cbrt({v} + 3.0)", "np.sum({m}, axis=0, where={m} > {s}) * 0.3",
    "np.array([{s}] * 4)", "np.array([{s}, 1, True, {c}])", "np.vectorize(helper)({v}, {s})", "np.nancumsum({v}) * 0.2", "np.unwrap({v})",
    "np.ediff1d({v}, to_end={s})", "np.heaviside({v} - {s}, 0.5) * {v}", "np.copysign({v}, {v} - {s})", "np.select([{v} > 0.9, {v} > {s}], [{v}, 0.3])",
]

MATRICES = [
    "np.einsum('i,j->ij', {v}, {v}) * 0.3", "np.einsum('ij->ji', {m})", "np.einsum('ij,jk,kl->il', {m}, {m}, {m}) * 0.05",
    "np.einsum('ik,kj->ij', {m}, WEIGHTS) * 0.2", "{m} @ {m}.T * 0.2", "np.where({m} > 0.6, {m}, np.where({m} > 0.3, {m} ** 2, 0.1))",
    "np.array([[a * b for b in {v}] for a in {v}]) * 0.3", "{m} * ({m} > {s})", "np.array([row if row.sum() > {s} else row * 0.5 for row in {m}])",
    "np.array([row[::-1] for row in {m}])", "np.array([np.tanh(row) * i for i, row in enumerate({m})]) * 0.3", "np.stack([*{m}][::-1])",
    "np.array([*zip({v}, {v}, {v}, {v})]) * 0.5", "np.subtract.outer({v}, {v})", "np.rot90({m})", "{m} / (1.0 + np.abs({m}).sum(axis=1, keepdims=True))",
    "{m} - {v}[:, None]", "np.minimum({m}, {v}[:, None])", "np.linalg.matrix_power({m} * 0.5, 2)", "np.linalg.multi_dot([{m}, {m}, {m}]) * 0.1",
    "np.vander({v} * 0.5, 4)", "np.argsort({m}, axis=1) * 0.1", "np.maximum.accumulate({m}, axis=1)", "np.flip({m}, (0, 1))", "np.roll({m}, (1, 2), (0, 1))",
    "np.triu({m}, 1) + np.tril({m}, -1)",
]

SIMPLE = [
    "{t+} = [a for a in {v} if a > {s}]\n{s+} = sum({t^}) * 0.3 + len({t^}) * 0.1", "{v+} = np.array([({s+} := a * 0.5) + 0.1 for a in {v}])",
    "{t+} = {{name: fn({s}) for name, fn in zip('abc', (np.sin, np.cos, np.tanh))}}\n{s+} = {t^}['a'] * {t^}['c']",
    "{t+} = [{S}, {S}, {S}]\ndel {t^}[1]\n{s+} = {t^}[1]", "{t+} = [lambda a, j=j: a * j for j in range(3)]\n{s+} = {t^}[1]({S}) + {t^}[2]({S})",
    "{t+} = [lambda a: a * j * 0.2 for j in range(3)]\n{s+} = sum(e({S}) for e in {t^})", "{s+}, *{t+}, {s+} = {v}\n{v+} = np.array([*{t^}, *{t^}])",
    "{t+} = list(zip({v}, {v}[::-1]))\n{s+} = sum(a * b for a, b in {t^}[1:]) * 0.3", "{t+} = sorted(zip({v}, range(4)))\n{s+} = {t^}[0][0] + {t^}[-1][1] * 0.1",
    "{t+} = [{v=}, {v=}]\nfor e in {t^}:\n    e *= 0.7\n    e[{i}] = {S}", "{t+} = [[{S}, {S}], [{S}]]\n{t^}[1] += {t^}[0]\n{s+} = sum(sum(e) for e in {t^}) * 0.2",
    "{t+} = {{}}\nfor name, a in zip('aba', {v}):\n    {t^}[name] = {t^}.get(name, 0) + a\n{s+} = {t^}['a'] * {t^}['b']",
    "{t+} = dict(zip('xyz', {V}))\n{s+} = {t^}.pop('x') + max({t^}.values())", "{t+} = (*{v}[:2], {s})\n{s+}, _, {s+} = {t^}",
    "{t+} = {v=}, {m=}\n{t^}[1][{i}] *= 0.5\n{t^}[0][{i}], {t^}[1][0, 0] = {S}, {S}", "{v=} **= 2", "{v=} /= 2.0 + {s} ** 2", "{v=} %= 0.7", "{v=} //= 0.25",
    "{m=} @= {m} * 0.2", "{m=} /= 1.0 + {m} ** 2", "{m=} **= 2", "{m=} -= {V}[:, None] * 0.1", "{p=} //= 2", "{p=} &= 1", "{p=} |= 1", "{p=} ^= 1",
    "{p=} <<= 1\n{p=} %= 4", "{p=} += {j}\n{p=} %= 4", "{b=} ^= {W}", "{s=} **= 2", "{s=} /= 1.5", "{s=} %= 0.9", "{s=} //= 0.3", "{q=} <<= 1\n{q=} %= 4",
    "{q=} //= 2", "{q=} ^= 1", "{d=} **= 2", "{d=} -= {M} * 0.1", "{v=}[1:] += {v}[:-1] * 0.3", "{v=}[:-1] -= {v}[1:] * 0.3", "{v=}[::-1] += {v} * 0.2",
    "{v+} = {V} * 1.0\n{v^}[1:] += {v^}[:-1] * 0.3\n{v^}[::-1] = {v^} * 0.9\n{v^}[:-1] = {v^}[1:]", "{v=}[{v=} > {s}] /= 2.0", "{m=}[{i}, 1:] **= 2",
    "{m=}[1:, 1:] += {m}[:-1, :-1] * 0.3", "{m=}.T[1:] -= {m}[:-1] * 0.2", "{m=}[{W}, {i}] += {s} * 0.1", "{m=}[{i}, {W}] *= 0.5", "{m=}[:, {b}] *= 0.5",
    "{m=}[...] = {V}", "{m=}[...] = {V}[:, None]", "{m=}[1:3] = {V} * 1.0", "{m=}[:, 1:3] = {V}[:, None] * 1.0", "{d=}[:] = {V}", "{d=}[:, 1] = {V} * 0.5",
    "{d=}[:, :, {i}] = {V}", "{d=}[0] = {d=}[1].T", "{d=}[::-1, 1:3] *= 0.5", "{d=}[..., ::2] += {s} * 0.1", "{d=}[{d} > {s}] *= 0.5", "{d=}[1, {P}] += {V} * 0.1",
    "{d=}[{q} % 2][{W}] = {S}", "{m=}[2:] = {m=}[:2][::-1] * 0.9", "{v=}[{v}.argmax()] = {S}", "{v=}[{v}.argsort()[:2]] *= 0.5", "{m=}[np.arange(4), {P}] *= 0.5",
    "{m=}[{P}, {P}] = {V}", "{m=}[{P}[:2], 1:3] = {s}", "{m=}[np.triu_indices(4, 1)] = {s}", "{m=}[np.diag_indices(4)] += {V} * 0.2",
    "{v=}[np.array([0, 2])] += {V}[:2] * 0.3", "{v=}[[1, 1, 3]] = {V}[:3] * 1.0", "np.maximum.at({v=}, {P}, {V} * 1.0)", "np.multiply.at({v=}, {P}, 0.5)",
    "np.sqrt({v} ** 2 + 0.1, out={v=})", "np.add({V}, {V}, out={v=}, where={W})", "np.matmul({m}, {v} * 0.3, out={v=})", "np.sin({v=}[1:], out={v=}[1:])",
    "np.clip({m}, 0.1, 1.0, out={m=})", "np.cumsum({m} * 0.3, axis=1, out={m=})", "{m=}.sort(axis=0)", "{m=}[{i}].sort()", "{m=}.fill({S})",
    "{m=}.flat[1::3] = {S}",
    "def {f+}(a, b=0.5, *rest, w={s}, **named):\n    a = a * b + w\n    for e in rest:\n        a += e * 0.1\n    return a + sum(named.values()) * 0.1\n"
    "{s+} = {f^}({S}) + {f^}({S}, {S}, {S}, z={S}) + {f^}(a={S}, w={S})",
    "def {f+}(a, out=None):\n    if out is None:\n        out = np.zeros(4)\n    out[{i}] += a\n    return out\n{v+} = {f^}({S})\n{v+} = {f^}({S}, {v=})\n"
    "{v^} *= 0.5",
    "def {f+}(a, kept=[]):\n    kept.append(a)\n    return sum(kept) * 0.3\n{s+} = {f^}({S}) + {f^}({S})",
    "def {f+}(a):\n    return (a, a * 0.5), dict(c=a + {S})\n({s+}, {s+}), {t+} = {f^}({S})\n{s+} = {t^}['c']",
    "def {f+}(a):\n    if a > {c}:\n        return a * 0.5\n    if a < {s}:\n        return np.sin(a)\n    for j in range(3):\n        a = a * 0.5 + 0.2\n"
    "        if a > {s}:\n            return a\n    return {S}\n{s+} = {f^}({S}) + {f^}({s})",
    "def {f+}(a, depth=0):\n    if depth > 2 or a > 1.5:\n        return a\n    return {f^}(a + 0.3, depth + 1) * 0.9 + {f^}(a * 0.5, depth + 2) * 0.1\n"
    "{s+} = {f^}({S})",
    "def {f+}(a):\n    best, at = a[0], 0\n    for j in range(1, 4):\n        if a[j] > best:\n            best, at = a[j], j\n    return best, at\n"
    "{s+}, {q+} = {f^}({V})",
    "def {f+}(a):\n    a = a * 1.0\n    a[{i}] = {S}\n    return a\n{v+} = {f^}({v}) - {f^}({V})",
    "def {f+}(a):\n    a[:2] *= 0.5\n    return a[::-1]\n{v+} = {f^}({v=})\n{v^}[{i}] = {S}",
    "def {f+}():\n    nonlocal_free = {S}\n    def inner():\n        nonlocal nonlocal_free\n        nonlocal_free *= 0.5\n        return nonlocal_free\n"
    "    return inner\n{f+} = {f^}()\n{s+} = {f^}() + {f^}()",
]

NESTED = [
    "{w+} = 0\nwhile {w^} < 6:\n    {w^} += 1\n    if {B}:\n        break\n    {block}\n    if {B}:\n        continue\n    {s=} *= 0.9\n    if {s} > {c}:\n"
    "        break\nelse:\n    {s=} = {S}",
    "{w+} = 0\nwhile {w^} < 3:\n    {w^} += 1\n    for {l+} in range(4):\n        if {B}:\n            break\n        {block}\n    else:\n        continue\n"
    "    break",
    "for {l+} in range(3):\n    for {l+} in range(4):\n        if {B}:\n            continue\n        {block}\n        if {B}:\n            break\n    else:\n"
    "        {s=} = {S}\n    if {B}:\n        break",
    "for {l+} in range(4):\n    if {B} and {B}:\n        continue\n    elif {B} or {B}:\n        {block}\n    {s=} += 0.1",
    "for {l+} in range(4):\n    {s=} = {S} if {B} else {s}\n    {block}",
    "for {l+}, ({v+}, {s+}) in enumerate(zip({m=}, {v} * 1.0)):\n    {v^}[{l^}] = {s^}\n    {block}",
    "for {l+}, {s+} in reversed(list(enumerate({V}))):\n    {block}", "for {l+} in np.arange(4):\n    {block}", "for {l+} in np.arange(3, -1, -1):\n    {block}",
    "for {l+} in sorted(range(4), key=lambda j: -j):\n    {block}", "for {l+}, {l+} in np.ndindex(2, 4):\n    {block}",
    "for {l+}, {s+} in zip(range(4), {V}):\n    {block}", "for {s+}, {s+} in zip({V}, {V}[1:]):\n    {block}",
    "for {s+} in [a for a in {v} if a > {s}]:\n    {block}", "for {s+} in sorted({v}):\n    {block}", "for {l+} in (j for j in range(4) if j != {j}):\n    {block}",
    "for {l+} in (0, 3, 1):\n    {block}", "for {v+} in ({v=}, {v=}[::-1]):\n    {v^} *= 0.7\n    {block}",
    "for {v+} in [{v=}, {m=}[1]]:\n    {v^}[{i}] = {S}\n    {block}",
    "{s+}, {s+} = {S}, {S}\nfor {l+} in range(4):\n    if {s^} > {s}:\n        {s^} = {s^} * 0.5\n    else:\n        {s^} = {s^} + {S} * 0.3\n    {block}",
    "{s+}, {q+} = {v}[0], 0\nfor {l+} in range(1, 4):\n    if {v}[{l^}] > {s^}:\n        {s^}, {q^} = {v}[{l^}], {l^}\n    {block}",
    "{t+} = None\nfor {l+} in range(4):\n    {t^} = {S} if {t^} is None else {t^} * 0.5 + {S}\n    {block}\n{s+} = {t^}",
    "{t+} = False\nfor {l+} in range(4):\n    if {B}:\n        {t^} = True\n        {block}\n{b+} = np.array([{t^}, True, not {t^}, False])",
    "{w+} = 0\nwhile not ({s=} > {c} or {w^} >= 4):\n    {w^} += 1\n    {s=} += 0.2\n    {block}", "{w+} = 5\nwhile ({w^} := {w^} - 1) > 0:\n    {block}",
    "{s+}, {w+} = {S}, 0\nwhile {s^} < 1.0 and {w^} < 4:\n    {w^}, {s^} = {w^} + 1, abs({s^}) * 1.5 + 0.2\n    if {B}:\n        {s^} += 0.5\n        continue\n"
    "    {block}",
    "{t+} = []\nfor {l+} in range(4):\n    if {l^} % 2 == 0:\n        {t^}.append({S})\n    {block}\n{s+} = sum({t^})",
    "{t+} = [{V} * 1.0 for _ in range(3)]\nfor {l+} in range(2):\n    {t^}[{l^} + 1] += {t^}[{l^}] * 0.3\n    {block}\n{v+} = {t^}[-1]",
    "{t+} = {{'a': {S}}}\nfor {l+} in range(3):\n    {t^}['a'], {t^}['b'] = {t^}.get('b', {S}), {t^}['a'] * 0.5\n    {block}\n{s+} = {t^}['a'] + {t^}['b']",
    "def {f+}(a, w=0.5):\n    {block}\n    if a > {s}:\n        return a * w\n    return a + w\n{s+} = {f^}({S}) + {f^}({S}, {s})",
    "def {f+}(a):\n    a = a * 1.0\n    for e in a:\n        {block}\n    a[0] = {S}\n    return a\n{v+} = {f^}({V})",
    "if {B}:\n    {v+} = {m=}[{i}]\nelse:\n    {v^} = {V} * 1.0\n{v^} *= 0.5", "if {B}:\n    {v=} = {v}[::-1]\n    {block}",
    "if {B} and ({s+} := {S}) > {c}:\n    {block}", "if {s} < {s} < {c} <= 2.0:\n    {block}\nelif not (0.1 < {s} <= {S}):\n    {block}",
    "if {B}:\n    {block}\nelif {B}:\n    pass\nelif {B} and not {B}:\n    {block}\nelse:\n    {s=}, {v=}[{i}] = {S}, {S}",
    "for {l+} in range(2):\n    if {B}:\n        {v=}, {v=} = {v}, {v}\n    {v=}[{l^}] = {S}\n    {block}",
]
