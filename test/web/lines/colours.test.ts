import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'node:test';
import {
  channelSlot,
  colourAt,
  dashAt,
  isFaint,
  lookOfLine,
  looksOfChannels,
  looksOfRuns,
  palette,
} from '../../../web/src/lines/colours.ts';
import { isDark } from '../../../web/src/lines/scheme.ts';
import { root } from '../../root.ts';
import { contrast, distance, eyes, linearOf, over, seenBy } from './colour-vision.ts';

const css = readFileSync(join(root, 'web/src/style/base.css'), 'utf8');

/** A colour of the page on its light or dark ground. */
function named(name: string, dark: boolean): string {
  const match = new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(css);
  assert.ok(match !== null, name);
  return match[dark ? 2 : 1]!;
}

describe('colours of channels', () => {
  afterEach(() => {
    isDark.value = false;
  });

  it('are those that were published', () => {
    // Okabe and Ito: black, orange, sky blue, bluish green, yellow, blue, vermillion, reddish purple.
    const published = [
      [0, 0, 0],
      [230, 159, 0],
      [86, 180, 233],
      [0, 158, 115],
      [240, 228, 66],
      [0, 114, 178],
      [213, 94, 0],
      [204, 121, 167],
    ].map((parts) => `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`);
    assert.deepEqual([...palette].sort(), published.sort());
  });

  it('are told apart by every kind of eye, on light and on dark ground', () => {
    for (const dark of [false, true]) {
      isDark.value = dark;
      const colours = palette.map((_, slot) => linearOf(colourAt(slot)));
      for (const [eye, matrix] of Object.entries(eyes)) {
        for (const [i, one] of colours.entries()) {
          for (const [j, other] of colours.entries()) {
            if (i >= j) continue;
            const apart = distance(seenBy(matrix, one), seenBy(matrix, other));
            // Neighbours stand side by side more often than others.
            const least = j === i + 1 || j - i === palette.length - 1 ? 30 : 15;
            assert.ok(apart > least, `${palette[i]} and ${palette[j]} are ${apart.toFixed(1)} apart: ${eye}`);
          }
        }
      }
    }
  });

  it('are seen on both grounds; what is too light has an edge', () => {
    for (const dark of [false, true]) {
      isDark.value = dark;
      for (const [slot, name] of palette.entries()) {
        const colour = colourAt(slot);
        const seen = isFaint(colour) ? '#6b6600' : colour;
        assert.ok(
          contrast(seen, named('ground', dark)) > 1.9,
          `${name} on ${dark ? 'dark' : 'light'} ground`,
        );
      }
    }
  });

  it('leave text over a ground of them to be read', () => {
    for (const dark of [false, true]) {
      isDark.value = dark;
      for (const [slot, name] of palette.entries()) {
        const behind = over(colourAt(slot), named('ground', dark), 0.28);
        assert.ok(
          contrast(named('ink', dark), behind) > 4.5,
          `text over ${name}, ${dark ? 'dark' : 'light'}`,
        );
      }
    }
  });

  it('go by the name of a channel, and to the next that is free where another one has it', () => {
    const looks = looksOfChannels([
      'Foo',
      'CarSpeed',
      'Brake',
      'constructor',
      'Other',
      'Cell1',
      'Cell9',
      'speed',
    ]);
    assert.equal(looks.get('CarSpeed')!.colour, palette[0]);
    assert.equal(looks.get('Brake')!.colour, palette[1]);
    const told = [...looks.values()].map(({ colour, dash }) => `${colour} ${dash}`);
    assert.equal(new Set(told).size, 8);
    assert.deepEqual(new Set([...looks.values()].map(({ dash }) => dash)), new Set([dashAt(0)]));
    assert.equal(channelSlot('Speed'), channelSlot('speed'));
    const many = looksOfChannels(Array.from({ length: 30 }, (_, i) => `Cell${i}`));
    assert.equal(new Set([...many.values()].map(({ colour, dash }) => `${colour} ${dash}`)).size, 30);
    assert.equal(new Set([...many.values()].map(({ dash }) => dash)).size, 4);
  });

  it('tell runs and laps, which every eye tells apart, with dashes beyond eight', () => {
    for (const dark of [false, true]) {
      isDark.value = dark;
      const looks = Array.from({ length: 20 }, (_, i) => lookOfLine(i));
      assert.equal(new Set(looks.map(({ colour, dash }) => `${colour} ${dash}`)).size, 20);
      for (const [eye, matrix] of Object.entries(eyes)) {
        const seen = looks.slice(0, 8).map(({ colour }) => seenBy(matrix, linearOf(colour)));
        for (let lap = 1; lap < 8; lap++) {
          // What is compared most: each lap against the reference.
          const apart = distance(seen[0]!, seen[lap]!);
          assert.ok(apart > 15, `lap ${lap + 1} is ${apart.toFixed(1)} from the first: ${eye}`);
        }
        assert.ok(distance(seen[0]!, seen[1]!) > 30, eye);
      }
      assert.deepEqual(
        looks.map(({ isBold }) => isBold),
        looks.map((_, i) => i === 0),
      );
    }
    const lines = ['Speed', 'Brake'].flatMap((parameter) =>
      Array.from({ length: 10 }, (_, run) => ({ parameter, run })),
    );
    const told = looksOfRuns(lines, 10);
    assert.equal(new Set(told.map(({ colour, dash }) => `${colour} ${dash}`)).size, 20);
    assert.ok(told.every(({ colour }, i) => colour === colourAt(lines[i]!.run)));
  });
});
