"""Finds groups that a GPU program of Hone's computes without the host: a product, and the
elementwise ops after it that fuse into it.

A graph is a list of nodes in the order of execution. The rules are those of hone-match
(docs/Pipeline.md, "Destination and epilogue"): of all values that are computed after a product
exactly one leaves the group, and no op of the group depends on a result of it through an
op outside.
"""

PRODUCT, ELEMENTWISE, VIEW, OTHER = "product", "elementwise", "view", "other"


def tables():
    """For an exporter: the function that writes an op as linalg, by op; its kind, by op; and the decorator that
    puts a function and the kind of its ops there."""
    emitters, kinds = {}, {}

    def emits(kind, *ops):
        def register(emitter):
            emitters.update(dict.fromkeys(ops, emitter))
            kinds.update(dict.fromkeys(ops, kind))
            return emitter

        return register

    return emitters, kinds, emits


def take_groups(nodes, inputs_of, users_of, kind_of, take, may_leave=lambda node: True):
    """Calls `take`, for each product, with the groups that begin with it, the largest first: lists
    of nodes in order, whose last one is the value that leaves. It answers with the members of the
    one that it takes, if any; no later group has these.

    `inputs_of` gives nodes; `users_of` gives nodes, and something else where the program returns a
    value; one for which `may_leave` is false stays inside."""
    kinds = {node: kind_of(node) for node in nodes}
    taken = set()
    for at, node in enumerate(nodes):
        if kinds[node] == PRODUCT:
            taken.update(take(grow(nodes[at:], inputs_of, users_of, kinds, taken, may_leave)))


def grow(nodes, inputs_of, users_of, kinds, taken, may_leave):
    members, outside, groups = [nodes[0]], set(), [[nodes[0]]]
    for node in nodes[1:]:
        inputs = set(inputs_of(node))
        if inputs.isdisjoint(members) and inputs.isdisjoint(outside):
            continue
        if kinds[node] not in (ELEMENTWISE, VIEW) or node in taken or not inputs.isdisjoint(outside):
            outside.add(node)  # needs the group's result, and does not belong to it
            continue
        members.append(node)
        leaving = [m for m in members if any(user not in members for user in users_of(m))]
        # A group that ends in a view is as good without it.
        if leaving == [node] and kinds[node] == ELEMENTWISE and may_leave(node):
            groups.append(list(members))
    return groups[::-1]


def inputs_of_group(members, inputs_of):
    """The values that the group reads and does not compute, in order."""
    return list(dict.fromkeys(i for member in members for i in inputs_of(member) if i not in members))
