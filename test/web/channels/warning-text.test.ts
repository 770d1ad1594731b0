import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { UnknownParameter } from '../../../src/domain/listing.ts';
import { Kind } from '../../../src/domain/parameter-data.ts';
import { unknownParametersWarning } from '../../../src/http/unknown-parameters.ts';
import { unknownOperandText, warningText } from '../../../web/src/channels/warning-text.ts';

/** What the service says itself of parameters that no stream has. */
function warningOf(...unknown: UnknownParameter[]): string {
  const catalog = { unknownParameters: () => unknown };
  const plan = { workspace: 'w', streamIds: [], topic: undefined, parameters: [] };
  return unknownParametersWarning(catalog, plan, [], new AbortController().signal) as string;
}

const always = () => true;
const sped = { kind: Kind.Numeric, name: 'Sped' } as const;
const speed = { kind: Kind.Numeric, name: 'Speed' } as const;

it('says what one has chosen and what to do, of a channel that no run has', () => {
  const alone = warningOf({ key: sped, nearest: undefined });
  const advice = 'Choose another under Channels, or remove it from its plot';
  assert.equal(
    warningText(alone, always),
    `The channel "Sped" was chosen, and no open run has it as numbers. ${advice}.`,
  );
  assert.equal(unknownOperandText(alone), 'No open run has "Sped" as numbers.');
  const near = warningOf({ key: sped, nearest: speed });
  assert.equal(
    warningText(near, always),
    `The channel "Sped" was chosen, and no open run has it as numbers. ${advice}; the nearest is "Speed".`,
  );
  assert.equal(unknownOperandText(near), 'No open run has "Sped" as numbers; the nearest is "Speed".');
});

it('says it of names with anything in them, of several, and of text', () => {
  const odd = { kind: Kind.Numeric, name: 'a "b". \\' } as const;
  const note = { kind: Kind.String, name: 'a "b".' } as const;
  const text = warningText(warningOf({ key: odd, nearest: note }, { key: sped, nearest: undefined }), always);
  assert.equal(text.match(/was chosen/g)?.length, 2);
  assert.match(text, /the nearest is "a \\"b\\"\.", which is text\. The channel "Sped"/);
  assert.doesNotMatch(text, /stream|parameter/);
});

it('leaves what else the service warns of', () => {
  const other = 'timestamps of the stream "a" are probably in milliseconds.';
  assert.equal(warningText(other, always), other);
});

it('says nothing of channels with which nothing is amiss, whatever their names', () => {
  const long = { kind: Kind.Numeric, name: 'b'.repeat(65) } as const;
  const quoted = { kind: Kind.Numeric, name: 'a "b"' } as const;
  const all = warningOf(...[long, sped, quoted].map((key) => ({ key, nearest: undefined })));
  const without = (...names: string[]) => warningText(all, (isNamed) => !names.some(isNamed));
  assert.match(without(long.name, quoted.name), /^The channel "Sped" was chosen[^"]*plot\.$/);
  assert.equal(without(long.name, quoted.name, 'Sped'), '');
  assert.match(without('Spe', 'a'), /"Sped".*"a /);
});
