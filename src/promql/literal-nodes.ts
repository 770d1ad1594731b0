import { numberOf, textOf } from './literals.ts';
import { faultAt, type Source, type SyntaxNode } from './source.ts';

export function readNumber(node: SyntaxNode, source: Source): number {
  const value = numberOf(source.at(node));
  if (value === undefined)
    throw faultAt(source, node.from, `bad number or duration syntax: ${JSON.stringify(source.at(node))}`);
  return value;
}

export function readText(node: SyntaxNode, source: Source): string {
  const text = textOf(source.at(node));
  if (text === undefined) throw faultAt(source, node.from, 'a string has an escape that is not known');
  return text;
}
