//! The parser on small texts.

use super::ast::*;
use super::parse;

const HEAD: &str = ".version 7.1\n.target sm_20, texmode_independent, debug\n.address_size 32\n";

fn module(text: &str) -> Module {
    parse(&format!("{HEAD}{text}"), "t.ptx").unwrap_or_else(|e| panic!("{e}\n{text}"))
}

fn body(code: &str) -> Body {
    let m = module(&format!(".entry k() {{\n{code}\n}}"));
    m.functions[0].body.clone().unwrap()
}

fn insts(body: &Body) -> Vec<&Inst> {
    let mut out = Vec::new();
    for s in &body.code {
        if let Statement::Inst(i) = s {
            out.push(i);
        }
    }
    out
}

#[test]
fn heads_of_functions() {
    let m = module(
        ".func (.param .b32 func_retval0) f\n(\n.param .b32 f_param_0,\n)\n;
        .visible .entry k(.param .u32 .ptr .global .align 16 a, .param .u32 .ptr .align 1 b,
          .param .align 8 .b8 s[24], .param .f32 x)\n.maxntid 8, 4\n.minnctapersm 2\n.pragma \"nounroll\";\n{ ret; }
        .weak .func (.param .align 4 .b8 r[12]) g(.param .b64 y) .noreturn\n{ exit; } .alias h, g;",
    );
    assert_eq!((m.version, m.target.as_str()), (71, "sm_20"));
    let [f, k, g] = &m.functions[..] else { panic!("three functions") };
    assert!(f.body.is_none() && !f.entry && f.params.len() == 1);
    assert!(k.entry && k.body.is_some());
    assert_eq!(k.max_threads, Some(32));
    assert_eq!(k.required_block, None);
    let spaces: Vec<_> = k.params.iter().map(|p| p.pointer.map(|p| p.space)).collect();
    assert_eq!(spaces, [Some(Some(Space::Global)), Some(None), None, None]);
    let sizes: Vec<_> = k.params.iter().map(|p| (p.align, p.bytes())).collect();
    assert_eq!(sizes, [(4, 4), (4, 4), (8, 24), (4, 4)]);
    assert_eq!(g.results[0].bytes(), 12);
    assert_eq!(m.kernels().collect::<Vec<_>>(), ["k"]);
    assert_eq!(m.function("h").map(|f| f.name.as_str()), Some("g"));
    assert!(m.function("f").is_none());
}

#[test]
fn scopes_shadow_registers_and_variables() {
    let b = body(
        ".reg .b32 %r<3>; .reg .b32 %lhs; .param .b32 p;
        mov.b32 %r1, %lhs;
        { .reg .b64 %lhs; .param .b32 p; mov.b64 %lhs, 5; st.param.b32 [p+0], %r1; }
        st.param.b32 [p], %lhs;",
    );
    let i = insts(&b);
    let reg = |a: &Operand| match a {
        Operand::Reg(r) => b.regs[r.0 as usize].bits,
        _ => 0,
    };
    assert_eq!(reg(&i[0].args[1]), 32);
    assert_eq!(reg(&i[1].args[0]), 64);
    assert_eq!(reg(&i[3].args[1]), 32);
    let var = |a: &Operand| match a {
        Operand::Address(Base::Symbol(Symbol::Local(v)), _) => v.0,
        _ => u32::MAX,
    };
    assert_eq!((var(&i[2].args[0]), var(&i[3].args[0])), (1, 0));
}

#[test]
fn ranges_of_registers_end() {
    let text = |r: &str| format!("{HEAD}.entry k() {{ .reg .b32 %r<5>; mov.u32 {r}, 1; }}");
    assert!(parse(&text("%r0"), "t").is_ok());
    assert!(parse(&text("%r4"), "t").is_ok());
    for r in ["%r5", "%r04", "%q1", "%r"] {
        let e = parse(&text(r), "t");
        // A name without number may be a special register, refused where it is used.
        assert!(e.is_err() || r == "%r", "{r}");
    }
}

#[test]
fn operands_of_all_kinds() {
    let b = body(
        ".reg .b32 %r<9>; .reg .pred %p<4>; .reg .b64 %d<2>;
        @!%p1 ld.global.v2.u32 {%r1, _}, [%r2+-4];
        setp.lt.and.s32 %p1|%p2, %r1, -5, !%p3;
        mov.f32 %r1, 0f3F800000; mov.u64 %d1, 0xFFFFFFFFFFFFFFFF; mov.u32 %r1, sym+8; mov.u32 %r1, %tid.x;
        ld.u32 %r1, [sym-4]; st.u32 [16], WARP_SZ; call (%r1), f, (%r2, 3);
        brx.idx %r1, ts; ts: .branchtargets a, b; a: b: ret;",
    );
    let i = insts(&b);
    assert_eq!(i[0].guard.map(|g| g.1), Some(true));
    assert!(matches!(&i[0].args[0], Operand::Vector(v) if v[1] == Operand::Sink));
    assert!(matches!(i[0].args[1], Operand::Address(Base::Reg(_), -4)));
    assert!(matches!(i[1].args[0], Operand::RegPair(..)));
    assert_eq!(i[1].args[2], Operand::Int(-5i64 as u64));
    assert!(matches!(i[1].args[3], Operand::NotReg(_)));
    assert_eq!(i[2].args[1], Operand::F32(0x3f80_0000));
    assert_eq!(i[3].args[1], Operand::Int(u64::MAX));
    let sym = Symbol::Name("sym".into());
    assert_eq!(i[4].args[1], Operand::Symbol(sym.clone(), 8));
    assert_eq!(i[5].args[1], Operand::Special("tid.x".into()));
    assert_eq!(i[6].args[1], Operand::Address(Base::Symbol(sym), -4));
    assert_eq!(i[7].args[0], Operand::Address(Base::None, 16));
    assert_eq!(i[7].args[1], Operand::Int(32));
    assert!(matches!(&i[8].args[2], Operand::List(l) if l.len() == 2));
    assert!(matches!(i[9].args[1], Operand::Label(_)));
    assert!(b.code.iter().any(|s| matches!(s, Statement::Targets(_, t) if t.len() == 2)));
}

#[test]
fn variables_and_initial_values() {
    let m = module(
        ".global .align 4 .b8 a[8] = {1, 2, 255}; .const .f32 b = 0f40000000; .extern .shared .align 16 .b8 c[];
        .global .u32 d[2] = {generic(a)+4, 0xFF00(a)}; .shared .v4 .f32 e[2]; .global .texref t; .global .u32 x, y[3];
        .visible .global .attribute(.managed) .align 8 .u64 z; .const .s32 auto[] = {-1, 2, 3};",
    );
    let at = |n: &str| m.vars.iter().find(|v| v.name == n).unwrap();
    assert_eq!(at("a").init, [Init::Int(1), Init::Int(2), Init::Int(255)]);
    assert_eq!((at("a").bytes(), at("a").align), (8, 4));
    assert_eq!(at("b").init, [Init::F32(0x4000_0000)]);
    assert!(at("c").external && at("c").count.is_none());
    let symbol = |offset, mask| Init::Symbol { name: "a".into(), offset, mask };
    assert_eq!(at("d").init, [symbol(4, None), symbol(0, Some(0xff00))]);
    assert_eq!((at("e").bytes(), at("e").align), (32, 16));
    assert_eq!(at("y").bytes(), 12);
    assert_eq!(at("z").bytes(), 8);
    assert_eq!(at("auto").count, Some(3));
    assert!(at("t").texture && at("t").space == Space::Const && at("t").bytes() == 48);
}

#[test]
fn statements_that_end_with_the_line() {
    let m = module(
        ".file 1 \"a.cu\"\n.entry k() {\n.reg .b32 %r<3>;\n.loc\t1 7 3\nmov.u32 %r1, 1;\n$L__tmp0:\n.loc 1 9 3, function_name $L__info, inlined_at 1 7 3\nret;\n}
.section .debug_abbrev\n{\n.b8 1\n.b8 17 // c\n}\n.section .debug_loc { }\n.section .debug_info {\n.b32 $L__tmp0\n.b32 .debug_abbrev\n}\n.file 2 \"/src\" \"b.h\"\n",
    );
    let body = m.functions[0].body.as_ref().unwrap();
    let lines: Vec<_> = insts(body).iter().map(|i| (i.line, i.source.map(|s| s.line))).collect();
    assert_eq!(lines, [(8, Some(7)), (11, Some(9))]);
    assert_eq!(m.source_file(2), Some("/src/b.h"));
    assert_eq!(m.source_file(3), None);
}
