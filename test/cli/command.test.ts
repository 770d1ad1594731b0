import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readArguments, UsageError } from '../../src/cli/command.ts';

it('says in one line what is wrong with arguments', () => {
  const cases: [argv: string[], message: string][] = [
    [['--from', '-5'], '--from needs a value; one that begins with a dash is written --from=-5'],
    [['--from'], "Option '--from <value>' argument missing"],
    [['--form', '5'], "Unknown option '--form'"],
    [['--from', '5', '--from', '6'], '--from is given twice'],
    [['--loop', 'true'], '--loop takes no value: write it alone, or leave it out'],
    [['a', '--loop', 'off', 'b'], '--loop takes no value: write it alone, or leave it out'],
    [['--loop=false'], '--loop takes no value: write it alone, or leave it out'],
  ];
  const options = {
    from: { type: 'string' },
    stream: { type: 'string', multiple: true },
    loop: { type: 'boolean' },
  } as const;
  for (const [argv, message] of cases) {
    assert.throws(() => readArguments(argv, options), new UsageError(message));
  }
  const argv = ['--from=-5', '--loop', '--stream', 'a', '--stream', 'b', '--', '--from'];
  const { values, positionals } = readArguments(argv, options);
  assert.deepEqual({ ...values }, { from: '-5', loop: true, stream: ['a', 'b'] });
  assert.deepEqual(positionals, ['--from']);
});
