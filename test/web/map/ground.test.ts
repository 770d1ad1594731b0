import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { globeGround, plainGround } from '../../../web/src/map/ground.ts';
import { fittingHeight, mapScales, nearestRow, scaleBar } from '../../../web/src/map/map-scales.ts';
import { viridis } from '../../../web/src/map/viridis.ts';

const rowsOf = (x: number[], y: number[]) => ({ x, y, gaps: new Uint8Array(x.length) });
const near = (value: number, wanted: number, within = 1e-9) =>
  assert.ok(Math.abs(value - wanted) <= within, `${value} for ${wanted}`);

describe('the ground of a map', () => {
  it('is as narrow as the cosine of the latitude says', () => {
    const rows = rowsOf([10, 10.01], [60, 60]);
    const { x, y } = globeGround('°', [rows])!.pathOf(rows);
    near(x[1]! - x[0]!, 0.005);
    assert.equal(y[0], 60);
  });

  it('takes radians and minutes', () => {
    const radians = rowsOf([0.1], [Math.PI / 4]);
    near(globeGround('rad', [radians])!.pathOf(radians).y[0]!, 45);
    const minutes = rowsOf([600], [2700]);
    near(globeGround('min', [minutes])!.pathOf(minutes).y[0]!, 45);
  });

  it('goes on over the line where longitudes jump', () => {
    const rows = rowsOf([179.99, -179.99], [0.5, 0.5]);
    const { x } = globeGround('deg', [rows])!.pathOf(rows);
    near(x[1]! - x[0]!, 0.02, 1e-5);
  });

  it('leaves out rows without a fix, and is none of numbers that are no degrees', () => {
    const rows = rowsOf([0, 10], [0, 50]);
    const { x } = globeGround('deg', [rows])!.pathOf(rows);
    assert.ok(Number.isNaN(x[0]!) && !Number.isNaN(x[1]!));
    assert.equal(globeGround('', [rowsOf([1e6], [5e5])]), undefined);
  });

  it('knows how long units are', () => {
    assert.equal(plainGround('km').metres, 1000);
    assert.equal(plainGround('bar').metres, undefined);
    near(globeGround('deg', [rowsOf([1], [1])])!.metres!, 111_195, 1);
  });
});

describe('the scales of a map', () => {
  const circle = Array.from({ length: 200 }, (_, i) => (2 * Math.PI * i) / 100);
  const path = plainGround('m').pathOf(
    rowsOf(
      circle.map((at) => 300 * Math.cos(at)),
      circle.map((at) => 100 * Math.sin(at)),
    ),
  );

  it('are the same across and up, with north above', () => {
    const { xOf, yOf, pixels } = mapScales([path], 280, 300);
    near(xOf(100) - xOf(0), 100 * pixels, 1e-6);
    near(yOf(0) - yOf(100), 100 * pixels, 1e-6);
    near(xOf(300), 280 - 18, 1e-6);
    assert.equal(fittingHeight([path], 280, [50, 400]), Math.round((280 - 36) / 3 + 36));
  });

  it('tell the row near the pointer: of two laps the one that is nearer along the way', () => {
    const scales = mapScales([path], 280, 300);
    const lines = [{ path, along: Float64Array.from(circle) }];
    const [left, top] = [scales.xOf(path.x[20]!), scales.yOf(path.y[20]!)];
    const first = nearestRow(lines, scales, left, top, () => circle[15])!.row;
    const second = nearestRow(lines, scales, left, top, () => circle[118])!.row;
    assert.ok(first < 25 && second > 115, `${first} and ${second}`);
    assert.equal(
      nearestRow(lines, scales, scales.xOf(0), scales.yOf(0), () => undefined),
      undefined,
    );
  });

  it('have a bar of a round length', () => {
    assert.equal(scaleBar(0.5, 1, 80).text, '100 m');
    assert.equal(scaleBar(0.01, 1, 80).text, '5 km');
    near(scaleBar(0.5, 1, 80).pixels, 50);
  });
});

describe('viridis', () => {
  it('goes from dark violet to yellow', () => {
    assert.equal(viridis(0), 'rgb(68 1 84)');
    assert.equal(viridis(1), 'rgb(253 231 37)');
    assert.equal(viridis(7), viridis(1));
  });
});
