import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readArguments, UsageError } from '../../src/cli/command.ts';

it('says in one line what is wrong with arguments', () => {
  const cases: [argv: string[], message: string][] = [
    [['--from', '-5'], '--from needs a value; one that begins with a dash is written --from=-5'],
    [['--from'], "Option '--from <value>' argument missing"],
    [['--form', '5'], "Unknown option '--form'"],
  ];
  for (const [argv, message] of cases) {
    assert.throws(() => readArguments(argv, { from: { type: 'string' } }), new UsageError(message));
  }
  assert.equal(readArguments(['--from=-5'], { from: { type: 'string' } }).values.from, '-5');
});
