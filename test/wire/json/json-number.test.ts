import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readNumber, readPlainNumbers } from '../../../src/wire/json/json-number.ts';
import { endScan, openScan } from '../../../src/wire/json/json-scanner.ts';
import { bytesOf, isInputError } from '../faults.ts';

function read(text: string): number {
  const scan = openScan(bytesOf(text));
  const value = readNumber(scan);
  endScan(scan);
  return value;
}

function assertAsParse(text: string): void {
  const expected = JSON.parse(text) as number;
  assert.ok(Object.is(read(text), expected), `${text}: ${read(text)} is not ${expected}`);
}

const digits = (least: number, most: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: least, maxLength: most })
    .map((list) => list.join(''));
const whole = digits(1, 25).map((text) => text.replace(/^0+(?=.)/, ''));
const numberText = fc
  .tuple(
    fc.constantFrom('', '-'),
    whole,
    fc.option(digits(1, 25), { nil: undefined }),
    fc.option(fc.tuple(fc.constantFrom('e', 'E', 'e+', 'e-', 'E-'), fc.integer({ min: 0, max: 400 })), {
      nil: undefined,
    }),
  )
  .map(([sign, int, fraction, exponent]) => {
    return `${sign}${int}${fraction === undefined ? '' : `.${fraction}`}${exponent === undefined ? '' : exponent.join('')}`;
  });

test('reads every number text as JSON.parse does', () => {
  fc.assert(fc.property(numberText, assertAsParse), { numRuns: 5000 });
});

test('reads every double from its shortest text', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => assertAsParse(String(value))),
    {
      numRuns: 5000,
    },
  );
});

test('reads doubles written with 17 and with 21 digits', () => {
  const double = fc.double({ noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(double, fc.constantFrom(16, 17, 20), (value, places) =>
      assertAsParse(value.toExponential(places)),
    ),
    { numRuns: 5000 },
  );
});

test('rounds halfway cases and their neighbours to even', () => {
  // Halfway between two doubles of 54 bits, exactly, and one unit of the last digit to either side.
  fc.assert(
    fc.property(
      fc.bigInt({ min: 2n ** 52n, max: 2n ** 53n - 1n }),
      fc.integer({ min: 0, max: 60 }),
      (mantissa, shift) => {
        const halfway = (2n * mantissa + 1n) << BigInt(shift);
        for (const near of [halfway - 1n, halfway, halfway + 1n]) assertAsParse(String(near));
      },
    ),
    { numRuns: 2000 },
  );
});

test('reads runs of numbers as JSON.parse does, up to the first that has an exponent', () => {
  fc.assert(
    fc.property(
      fc.array(numberText, { minLength: 1, maxLength: 10 }),
      fc.constantFrom(',', ', '),
      (texts, separator) => {
        const scan = openScan(bytesOf(`${texts.join(separator)}]`));
        const values = new Float64Array(texts.length);
        const read = readPlainNumbers(scan, values, 0, texts.length);
        const isPlain = (text: string) => !/e/i.test(text);
        const expected = texts.slice(0, texts.findIndex((text) => !isPlain(text)) >>> 0);
        assert.deepEqual(
          [...values.subarray(0, read)],
          expected.map((text) => JSON.parse(text)),
        );
        assert.equal(scan.at, expected.join(separator).length);
      },
    ),
    { numRuns: 3000 },
  );
});

test('reads the hard ones', () => {
  const hard = [
    '0',
    '-0',
    '-0.0',
    '0e5',
    '0e999',
    '-0e-999',
    '123456789',
    '999999999',
    '2147483648',
    '1234567890',
    '0.123456789',
    '0.1234567891',
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '9007199254740993.0',
    '0.9007199254740993',
    '4.9e-324',
    '2.4703282292062327e-324',
    '2.4703282292062328e-324',
    '5e-324',
    '2.2250738585072011e-308',
    '2.2250738585072012e-308',
    '2.2250738585072014e-308',
    '1.7976931348623157e308',
    '1.7976931348623158e308',
    '179769313486231580793728971405301e276',
    '1e22',
    '1e23',
    '9e22',
    '123456789012345678e-22',
    '8.5e-23',
    '6929495644600919.5',
    '3.518437208883201171875E+013',
    '1e-400',
    `0.${'0'.repeat(400)}1e400`,
    `1${'0'.repeat(300)}`,
    `${'9'.repeat(1000)}e-1000`,
    `0.1${'0'.repeat(800)}1`,
  ];
  for (const text of hard) assertAsParse(text);
});

test('gives infinity for a number beyond double, for the caller to refuse', () => {
  assert.equal(read('1e400'), Number.POSITIVE_INFINITY);
  assert.equal(read('-1e309'), Number.NEGATIVE_INFINITY);
  assert.equal(read('9'.repeat(400)), Number.POSITIVE_INFINITY);
  assert.equal(read('1e99999999999999999999'), Number.POSITIVE_INFINITY);
});

test('refuses what only looks like a number', () => {
  for (const text of [
    '-',
    '01',
    '-01',
    '00',
    '1.',
    '-1.',
    '1.e5',
    '1e',
    '1e+',
    '1E-',
    '0x10',
    '1.2.3',
    '1e5.5',
    '--1',
    '1_0',
  ]) {
    assert.throws(() => read(text), isInputError, text);
  }
});
