import { readText } from './literal-nodes.ts';
import { compileMatcher, type Matcher, type MatchOperator } from './matchers.ts';
import { faultAt, type Source, type SyntaxNode } from './source.ts';
import type { VectorSelector } from './syntax.ts';

/** `name{label="value", "label" =~ "pattern", "name of a metric"}` */
export function readSelector(node: SyntaxNode, source: Source): VectorSelector {
  const identifier = node.getChild('Identifier');
  let name = identifier === null ? undefined : source.at(identifier);
  const matchers: Matcher[] = [];
  const list = node.getChild('LabelMatchers');
  for (let child = list?.firstChild ?? null; child !== null; child = child.nextSibling) {
    if (child.name === 'QuotedLabelName') {
      const quoted = readText(child.firstChild!, source);
      if (name !== undefined) throw twice(node, source, name, quoted);
      name = quoted;
    } else matchers.push(readMatcher(child, source));
  }
  const other = matchers.find((matcher) => matcher.name === '__name__');
  if (name !== undefined) {
    if (other !== undefined) throw twice(node, source, name, other.value);
    matchers.push({ name: '__name__', operator: '=', value: name });
  }
  const needsValue = matchers.filter((matcher) => {
    if (matcher.operator.endsWith('~')) source.patterns.take(matcher.value);
    return !compileMatcher(matcher).matches('');
  });
  if (needsValue.length === 0) {
    throw faultAt(source, node.from, 'vector selector must contain at least one non-empty matcher');
  }
  return { type: 'vector', name, matchers, at: undefined, offset: 0 };
}

function twice(node: SyntaxNode, source: Source, one: string, other: string): Error {
  const names = `${JSON.stringify(one)} or ${JSON.stringify(other)}`;
  return faultAt(source, node.from, `metric name must not be set twice: ${names}`);
}

function readMatcher(node: SyntaxNode, source: Source): Matcher {
  const label = node.getChild('LabelName');
  const quoted = node.getChild('QuotedLabelName')?.firstChild;
  return {
    name: label === null ? readText(quoted!, source) : source.at(label),
    operator: source.at(node.getChild('MatchOp')!) as MatchOperator,
    value: readText(node.getChild('StringLiteral')!, source),
  };
}
