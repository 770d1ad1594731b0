#!/bin/sh
# The grammar of PromQL for editors binds otherwise than Prometheus does.
#
# @prometheus-io/lezer-promql 0.315.0, @lezer/lr 1.4.10, @lezer/highlight 1.2.3, on Node.js 20
#
# In Prometheus `offset`, `@` and `[5m]` belong to the selector before them, and a sign before a number binds less than `^`. The tree of this
# grammar says otherwise:
#
#   a + b offset 5m * c   BinaryExpr(OffsetExpr(BinaryExpr(a + b) offset 5m) * c)   Prometheus: a + ((b offset 5m) * c)
#   -x @ 1                StepInvariantExpr(UnaryExpr(- x) @ 1)                     Prometheus: -(x @ 1)
#   a + b[5m]             MatrixSelector(BinaryExpr(a + b) [5m])                    Prometheus: an error, a + (b[5m])
#   -2 ^ 2                BinaryExpr(-2 ^ 2), which is 4                            Prometheus: -(2 ^ 2), which is -4
#
# Who evaluates the tree gets other numbers than Prometheus, without an error. Seen: 4 lines as above, exit code 0.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund --silent @prometheus-io/lezer-promql@0.315.0 @lezer/lr@1.4.10 @lezer/highlight@1.2.3
cat >look.mjs <<'EOF'
import { parser } from '@prometheus-io/lezer-promql';
const expected = {
  'a + b offset 5m * c':
    'PromQL(BinaryExpr(OffsetExpr(BinaryExpr(VectorSelector Add VectorSelector) Offset OffsetDurationExpr) Mul VectorSelector))',
  '-x @ 1': 'PromQL(StepInvariantExpr(UnaryExpr(UnaryOp VectorSelector) At NumberDurationLiteral))',
  'a + b[5m]': 'PromQL(MatrixSelector(BinaryExpr(VectorSelector Add VectorSelector) DurationExpr))',
  '-2 ^ 2': 'PromQL(BinaryExpr(NumberDurationLiteral Pow NumberDurationLiteral))',
};
const show = (node) => {
  const inner = [];
  for (let child = node.firstChild; child; child = child.nextSibling) inner.push(show(child));
  const leaf = ['VectorSelector', 'OffsetDurationExpr', 'DurationExpr'].includes(node.name) || inner.length === 0;
  return leaf ? node.name : `${node.name}(${inner.join(' ')})`;
};
for (const [text, tree] of Object.entries(expected)) {
  const found = show(parser.parse(text).topNode);
  console.log(`${text}  ${found}`);
  if (found !== tree) process.exitCode = 1;
}
EOF
node look.mjs
