import { readText } from './literal-nodes.ts';
import { faultAt, type Source, type SyntaxNode } from './source.ts';
import { type BinaryOperator, isSetOperator, type Matching } from './syntax.ts';

/** `on (…) group_left (…)` */
export function readMatching(clause: SyntaxNode, operator: BinaryOperator, source: Source): Matching {
  const [left, right] = [clause.getChild('GroupLeft'), clause.getChild('GroupRight')];
  const grouped = left ?? right;
  const labels: string[] = [];
  const include: string[] = [];
  for (const node of clause.getChildren('GroupingLabels')) {
    (grouped !== null && node.from > grouped.from ? include : labels).push(...readLabels(node, source));
  }
  if (grouped !== null && isSetOperator(operator)) {
    throw faultAt(source, grouped.from, `no grouping allowed for ${JSON.stringify(operator)} operation`);
  }
  const on = clause.getChild('On') !== null;
  const both = on ? include.find((label) => labels.includes(label)) : undefined;
  if (both !== undefined) {
    throw faultAt(
      source,
      clause.from,
      `label ${JSON.stringify(both)} must not occur in ON and GROUP clause at once`,
    );
  }
  return { on, labels, many: left !== null ? 'left' : right !== null ? 'right' : 'none', include };
}

export function readLabels(node: SyntaxNode, source: Source): string[] {
  const labels: string[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    labels.push(child.name === 'LabelName' ? source.at(child) : readText(child.firstChild!, source));
  }
  return labels;
}
