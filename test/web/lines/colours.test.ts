import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'node:test';
import {
  channelColour,
  channelSlot,
  colourAt,
  dashAt,
  isFaint,
  looksOf,
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

  it('go by the name of a channel and nothing else', () => {
    assert.equal(channelColour('Speed'), channelColour('speed'));
    assert.equal(channelColour('Car Speed'), '#0072b2');
    assert.equal(channelColour('constructor'), channelColour('constructor'));
    const wheels = ['TyreTempFL', 'TyreTempFR', 'TyreTempRL', 'TyreTempRR'].map(channelColour);
    assert.equal(new Set(wheels).size, 4);
    const cells = Array.from({ length: 8 }, (_, i) => channelSlot(`Cell${i + 1}`));
    assert.equal(new Set(cells).size, 8);
  });

  it('have dashes for runs, and for channels of one plot that share a colour', () => {
    const names = Array.from({ length: 9 }, (_, i) => `Cell${i}`);
    const looks = looksOf(names.map((parameter) => ({ parameter, run: 0 })));
    assert.deepEqual(new Set(looks.slice(0, 8).map(({ dash }) => dash)), new Set([dashAt(0)]));
    assert.equal(looks[8]!.colour, looks[0]!.colour);
    assert.notDeepEqual(looks[8]!.dash, looks[0]!.dash);
    const all = names.flatMap((parameter) => [0, 1, 2].map((run) => ({ parameter, run })));
    const told = looksOf(all).map(({ colour, dash }) => `${colour} ${dash}`);
    assert.equal(new Set(told).size, all.length);
    assert.deepEqual(
      looksOf(all)
        .slice(0, 3)
        .map(({ dash }) => dash),
      [dashAt(0), dashAt(1), dashAt(2)],
    );
  });
});
