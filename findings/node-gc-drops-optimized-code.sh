#!/bin/sh
# Node.js: a collection that a program asks for when it is at rest (gc() of --expose-gc) takes compiled code with it. Optimized code knows
# the shapes of the objects that it was made for, and holds them weakly (--trace-deopt: "weak objects"): none of them is alive between
# two requests, so the code goes, and what is called next runs unoptimized until it is compiled anew. A service that frees memory at rest
# pays with its next request.
#
# Seen with npm's package node, 20.19.6, 24.21.0 and 26.10.0.
#
# Output seen:
#   20 after a rest: optimized, after gc(): deoptimized
#   24 after a rest: optimized, after gc(): deoptimized
#   26 after a rest: optimized, after gc(): deoptimized
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/look.cjs" <<'JS'
class Cell {
  constructor(value) {
    this.value = value;
  }
}
const work = new Function('cell', 'return cell.value * 2 + 1');
%PrepareFunctionForOptimization(work);
for (let i = 0; i < 10; i++) work(new Cell(i));
const cold = %GetOptimizationStatus(work);
%OptimizeFunctionOnNextCall(work);
work(new Cell(1));
const hot = %GetOptimizationStatus(work);
const told = () => {
  work(new Cell(1));
  if (hot === cold) return 'never optimized';
  return %GetOptimizationStatus(work) === hot ? 'optimized' : 'deoptimized';
};
setTimeout(() => {
  const rested = told();
  setTimeout(() => {
    gc();
    console.log(`${process.versions.node.split('.')[0]} after a rest: ${rested}, after gc(): ${told()}`);
  }, 10);
}, 10);
JS
for version in 20.19.6 24.21.0 26.10.0; do
  mkdir "$folder/$version"
  (cd "$folder/$version" && npm init -y >/dev/null && npm install --silent --no-audit --no-fund "node@$version" >/dev/null)
  "$folder/$version/node_modules/node/bin/node" --expose-gc --allow-natives-syntax "$folder/look.cjs" >> "$folder/out"
done
cat "$folder/out"
printf '%s after a rest: optimized, after gc(): deoptimized\n' 20 24 26 > "$folder/expected"
diff "$folder/expected" "$folder/out"
