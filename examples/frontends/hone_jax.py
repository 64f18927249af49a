"""A transformation of JAX functions: products, and ops that fuse into them, run as kernels of Hone's,
on XLA's stream and in XLA's memory; XLA compiles the rest.

    step = jax.jit(hone_jax.accelerate(step))

With rest="hone" the whole function goes to Hone, and a primitive that the exporter lacks is an
error. Derivatives are taken first: accelerate(jax.grad(f)).
"""

import dataclasses
import functools
import itertools
import logging
import pathlib
import sys

import jax
from jax.extend import core

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "python"))  # unless the wheel is installed

import lax
import xla_ffi
from hone_torch import interface, linalg, products

log = logging.getLogger("hone")


def accelerate(function, arch=None, rest="jax", options="", reports=None):
    """`arch` is one of hone-pipeline's: by default native (the GPU in this machine) where that is
    JAX's default, and host elsewhere. `options` are further options of hone-pipeline.

    `reports`, a list, gets an entry for each trace: which primitives each of Hone's
    functions took, and how often XLA compiles which."""
    if rest not in ("jax", "hone"):
        raise interface.Error(f"expected jax or hone to run the rest, but got '{rest}'")

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        closed, shape = jax.make_jaxpr(function, return_shape=True)(*args, **kwargs)
        target = Target(arch or ("native" if on_gpu() else "host"), options)
        program = Program(closed)
        if rest == "hone":
            compile_whole(program, target)
        else:
            replace_products(program, target)
        report = program.report()
        log.info("%s", report)
        if reports is not None:
            reports.append(report)
        outputs = program.run(closed.consts, jax.tree.leaves((args, kwargs)))
        return jax.tree.unflatten(jax.tree.structure(shape), outputs)

    return wrapper


def on_gpu():
    return jax.default_backend() in ("gpu", "cuda")


@dataclasses.dataclass(frozen=True)
class Target:
    arch: str
    options: str


# ---- A program: equations without calls ----------------------------------------------------------


@dataclasses.dataclass(eq=False)
class Variable:
    aval: object


@dataclasses.dataclass(eq=False)
class Equation:
    """`inputs` are Variables and core.Literals; `primitive` is JAX's, or a Launch."""

    primitive: object
    inputs: list
    outputs: list
    params: dict
    has_effects: bool = False

    @property
    def name(self):
        return getattr(self.primitive, "name", "hone")


INLINED = {  # the parameter that has the callee
    "jit": "jaxpr", "pjit": "jaxpr", "closed_call": "call_jaxpr", "core_call": "call_jaxpr",
    "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr", "remat2": "jaxpr", "checkpoint": "jaxpr",
}  # fmt: skip


class Program:
    def __init__(self, closed):
        self.steps = []
        jaxpr = closed.jaxpr
        self.constants = [Variable(var.aval) for var in jaxpr.constvars]
        self.inputs = [Variable(var.aval) for var in jaxpr.invars]
        self.outputs = self.inline(jaxpr, [*self.constants, *self.inputs])
        self.drop_unused()

    def inline(self, jaxpr, values):
        """Appends the equations of `jaxpr` on `values`; gives its results."""
        env = dict(zip((*jaxpr.constvars, *jaxpr.invars), values))
        for eqn in jaxpr.eqns:
            inputs = [read(env, atom) for atom in eqn.invars]
            inner = eqn.params.get(INLINED.get(eqn.primitive.name))
            if inner is not None:
                consts = [core.Literal(const, var.aval) for const, var in
                          zip(getattr(inner, "consts", ()), getattr(inner, "jaxpr", inner).constvars)]  # fmt: skip
                results = self.inline(getattr(inner, "jaxpr", inner), [*consts, *inputs])
            else:
                results = [Variable(var.aval) for var in eqn.outvars]
                self.steps.append(Equation(eqn.primitive, inputs, results, eqn.params, bool(eqn.effects)))
            env.update(zip(eqn.outvars, results))
        return [read(env, atom) for atom in jaxpr.outvars]

    def drop_unused(self):
        needed, kept = set(variables(self.outputs)), []
        for step in reversed(self.steps):
            if step.has_effects or needed.intersection(step.outputs):
                kept.append(step)
                needed.update(variables(step.inputs))
        self.steps = kept[::-1]

    def run(self, constants, arguments):
        env = dict(zip((*self.constants, *self.inputs), (*constants, *arguments)))
        for step in self.steps:
            values = [read(env, atom) for atom in step.inputs]
            if isinstance(step.primitive, Launch):
                results = step.primitive(*(value_of(value) for value in values))
            else:
                values = [value_of(value) for value in values]
                results = step.primitive.bind(*values, **step.primitive.get_bind_params(step.params))
                results = results if step.primitive.multiple_results else [results]
            env.update(zip(step.outputs, results))
        return [value_of(read(env, atom)) for atom in self.outputs]

    def report(self):
        functions = [step.primitive.names for step in self.steps if isinstance(step.primitive, Launch)]
        others = [step.name for step in self.steps if not isinstance(step.primitive, Launch)]
        return {"functions": functions, "jax": {name: others.count(name) for name in dict.fromkeys(others)}}


def read(env, atom):
    return atom if isinstance(atom, core.Literal) else env[atom]


def value_of(atom):
    return atom.val if isinstance(atom, core.Literal) else atom


# ---- A part of a program as a function of Hone's -------------------------------------------------

counter = itertools.count()


class Launch:
    """Some equations, compiled, as a custom call of XLA's."""

    def __init__(self, steps, inputs, outputs, target):
        self.names = " ".join(step.name for step in steps)
        self.types = [jax.ShapeDtypeStruct(out.aval.shape, out.aval.dtype) for out in outputs]
        arguments = [lax.type_of(atom.aval) for atom in inputs]
        writer = linalg.Function("main", arguments)
        env = dict(zip(inputs, writer.arguments))
        for step in steps:
            values = [operand(writer, env, atom) for atom in step.inputs]
            results = lax.emit(writer, step.name, values, [out.aval for out in step.outputs], step.params)
            env.update(zip(step.outputs, results))
        text = writer.finish([env[out] for out in outputs])
        types = (*arguments, *(lax.type_of(out.aval) for out in outputs))
        options = target.options
        if "ragged_dot_general" in self.names and target.arch != "host":
            options += " rest=gpu"  # for the ends of groups, which are sums of their sizes
        self.function = interface.compile(text, "main", types, target.arch, options)
        self.target, self.platform = None, "cpu" if target.arch == "host" else "CUDA"

    def __call__(self, *arguments):
        if not self.target:
            self.target = f"hone_{next(counter)}"
            # A graph that XLA updates cannot hold nodes that allocate.
            is_capturable = not self.function.allocates()
            xla_ffi.register(self.target, self.start, self.platform, is_capturable)
        return jax.ffi.ffi_call(self.target, [*self.types, *self.scratch()])(*arguments)[: len(self.types)]

    def scratch(self):
        """The workspace: a result that is not read, which XLA gives a place among its temporaries."""
        size = self.function.workspace
        return [jax.ShapeDtypeStruct((size,), "uint8")] if size else []

    def start(self, stream, pointers):
        self.function(pointers[: len(self.function.types)], stream, *pointers[len(self.function.types) :])


def operand(writer, env, atom):
    """A linalg.Value, or a number."""
    if not isinstance(atom, core.Literal):
        return env[atom]
    if getattr(atom.val, "shape", ()):
        raise interface.Error(f"expected constants that are numbers, but got one of the shape {atom.val.shape}")
    return getattr(atom.val, "item", lambda: atom.val)()


def variables(atoms):
    return [atom for atom in atoms if isinstance(atom, Variable)]


def replace_products(program, target):
    """Every product with the ops that fuse into it becomes a launch; a group that would leave work
    on the host stays with XLA."""
    dtypes = {"f16", "bf16", "f32"} if target.arch == "host" else {"f16", "bf16"}
    steps = program.steps
    producer = {out: step for step in steps for out in step.outputs}
    users = {step: [] for step in steps}
    for step in [*steps, "returned"]:
        for atom in variables(program.outputs if step == "returned" else step.inputs):
            if atom in producer:
                users[producer[atom]].append(step)

    def kind_of(step):
        kind = lax.KINDS.get(step.name, products.OTHER)
        factors = [atom.aval for atom in step.inputs[:2]] if kind == products.PRODUCT else []
        numbers = step.params.get("ragged_dot_dimension_numbers")
        if numbers and not lax.orders_of(*factors, numbers):
            return products.OTHER
        types = {lax.type_of(aval)[1] for aval in factors}
        return kind if types <= dtypes and len(types) < 2 else products.OTHER

    def inputs_of(step):
        return [producer[atom] for atom in variables(step.inputs) if atom in producer]

    launches, gone = {}, set()

    def take(groups):
        members, launch = first_on_gpu(groups, target)
        if launch:
            launches[members[-1]] = launch
            gone.update(members)
        return members

    products.take_groups(steps, inputs_of, users.get, kind_of, take)
    program.steps = [launches.get(step, step) for step in steps if step not in gone or step in launches]


def first_on_gpu(groups, target):
    """The first of `groups` that Hone runs without the host, and its equation; none and None."""
    for members in groups:
        made = {out for step in members for out in step.outputs}
        inputs = [atom for step in members for atom in variables(step.inputs) if atom not in made]
        inputs = list(dict.fromkeys(inputs))
        launch = Launch(members, inputs, members[-1].outputs, target)
        if target.arch == "host" or not launch.function.host_work():
            return members, Equation(launch, inputs, members[-1].outputs, {})
        log.info("%s leaves work on the host: %s", launch.names, launch.function.host_work()[0])
    return [], None


def compile_whole(program, target):
    """One function for everything that depends on an argument; XLA folds the rest."""
    known = {*program.constants, *program.inputs}
    taken = []
    for step in program.steps:
        if known.intersection(variables(step.inputs)):
            taken.append(step)
            known.update(step.outputs)
    made = {out for step in taken for out in step.outputs}
    inputs = list(dict.fromkeys(atom for step in taken for atom in variables(step.inputs) if atom not in made))
    outputs = list(dict.fromkeys(atom for atom in variables(program.outputs) if atom in made))
    launch = Launch(taken, inputs, outputs, target)
    if target.arch != "host" and (work := launch.function.host_work()):
        raise interface.Error(f"expected a function that runs on the GPU alone, but got work on the host: {work[0]}")
    program.steps = [step for step in program.steps if step not in taken] + [Equation(launch, inputs, outputs, {})]
