import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseExpression } from '../../../src/expression/parse.ts';
import { channelParts, partsOf, quotedName, unfolded } from '../../../web/src/lines/expression.ts';
import { withMath } from '../../../web/src/lines/math-query.ts';

const namesOf = (expression: string) => channelParts(expression).map(({ text }) => text);

describe('names in expressions', () => {
  it('are those that the service finds', () => {
    for (const expression of [
      'Speed / 3.6',
      '"Oil Temp" - 20 > 5 ? 1e3 : Überdruck_2',
      'over(sum(Δt), \'LapNumber\') + min(a, b) + "say ""hi"""',
      'movingMean( derivative (x) , \'2s\')*"min"',
    ]) {
      const parsed = parseExpression(expression);
      assert.ok(!('message' in parsed), expression);
      assert.deepEqual([...new Set(namesOf(expression))], parsed.parameters, expression);
    }
  });

  it('are quoted so that the service reads them back', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (name) => {
        const parsed = parseExpression(`${quotedName(name)} + 0`);
        assert.ok(!('message' in parsed));
        assert.deepEqual(parsed.parameters, [name]);
        assert.deepEqual(namesOf(quotedName(name)), [name]);
      }),
    );
  });

  it('cover all of any text but spaces', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '"', "'", ' ', '(', '1', '.', 'é', '\n', '€') }),
        (text) => {
          let rest = '';
          let end = 0;
          for (const part of partsOf(text)) {
            rest += text.slice(end, part.start);
            end = part.end;
          }
          assert.equal((rest + text.slice(end)).trim(), '');
        },
      ),
    );
  });
});

describe('channels of a view in a query', () => {
  const channels = [
    { name: 'G', expression: 'derivative(V) / 9.81', unit: 'g' },
    { name: 'V', expression: 'Speed / 3.6', unit: 'm/s' },
    { name: 'Round', expression: 'About + 1', unit: '' },
    { name: 'About', expression: 'Round + 1', unit: '' },
  ];
  const expressionOf = (name: string) => channels.find((channel) => channel.name === name)?.expression;

  it('stand with the expressions of those that they name', () => {
    const query = {
      topic: 'cars',
      numericParameters: [
        { parameterName: 'Speed', aggregationType: 'Max' as const },
        { parameterName: 'G', aggregationType: 'Max' as const },
      ],
    };
    assert.deepEqual(withMath(query, channels), {
      topic: 'cars',
      numericParameters: [{ parameterName: 'Speed', aggregationType: 'Max' }],
      calculatedParameters: [
        { name: 'G', expression: 'derivative((Speed / 3.6)) / 9.81', aggregationType: 'Max' },
      ],
    });
  });

  it('stand in the expressions that a query has', () => {
    const calculatedParameters = [{ name: 'outside', expression: 'V > 80', aggregationType: 'Sum' as const }];
    assert.deepEqual(withMath({ calculatedParameters }, channels), {
      calculatedParameters: [{ name: 'outside', expression: '(Speed / 3.6) > 80', aggregationType: 'Sum' }],
    });
  });

  it('leave a query alone that names none of them', () => {
    const query = { numericParameters: [{ parameterName: 'Speed' }] };
    assert.equal(withMath(query, channels), query);
  });

  it('end where they go in a circle, or grow without an end', () => {
    assert.equal(unfolded('Round * 2', expressionOf), '((Round + 1) + 1) * 2');
    const doubling = (name: string) =>
      name === 'x99' ? undefined : `x${Number(name.slice(1)) + 1} + x${Number(name.slice(1)) + 1}`;
    assert.ok(unfolded('x1', doubling).length < 1_000_000);
  });
});
