import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ParameterEntry } from '../../../web/src/channels/parameter-entry.ts';
import { isLatitude, isLongitude, positionOf } from '../../../web/src/channels/position-names.ts';

const entry = (id: string, unit = '', location = '/'): ParameterEntry => ({
  id,
  type: 'Numeric',
  location,
  name: id,
  unit,
  ownUnit: '',
  written: [],
  description: '',
  minimum: undefined,
  maximum: undefined,
  names: undefined,
  expression: '',
  isOfView: false,
});
const found = (...entries: ParameterEntry[]) => {
  const position = positionOf(entries);
  return position && [position.x.id, position.y.id];
};

describe('the position among channels', () => {
  it('is known by its name, however it is written', () => {
    for (const [x, y] of [
      ['X', 'Y'],
      ['posX', 'posY'],
      ['PositionX', 'PositionY'],
      ['car_pos_x', 'car_pos_y'],
      ['GPS Longitude', 'GPS Latitude'],
      ['GPS Long', 'GPS Lat'],
      ['lon', 'lat'],
      ['gps.lng', 'gps.lat'],
      ['Longitude (deg)', 'Latitude (deg)'],
      ['Easting', 'Northing'],
    ] as const) {
      assert.deepEqual(found(entry('Speed'), entry(y), entry(x)), [x, y]);
    }
  });

  it('is no acceleration, and nothing else that begins alike', () => {
    for (const names of [
      ['LateralG', 'LongitudinalG'],
      ['AccX', 'AccY'],
      ['GyroX', 'GyroY'],
      ['Latency', 'LongPress'],
      ['X'],
      ['X', 'Lat'],
    ])
      assert.equal(found(...names.map((name) => entry(name))), undefined, names.join());
  });

  it('has a third axis, which may lie on the ground', () => {
    const axes = ['X', 'Y', 'Z'].map((axis) => entry(`Motion_WorldPosition${axis}`));
    const position = positionOf([entry('Motion_Yaw'), ...axes.toReversed()])!;
    assert.deepEqual(
      [position.x, position.y, position.z].map((own) => own?.id),
      axes.map(({ id }) => id),
    );
    assert.equal(positionOf([entry('X'), entry('Y')])?.z, undefined);
    assert.equal(positionOf([entry('lon'), entry('lat'), entry('z')])?.z, undefined);
  });

  it('is of one place and one unit, degrees before metres, the plain name first', () => {
    assert.deepEqual(found(entry('x', 'm'), entry('y', 'm'), entry('lat', 'deg'), entry('lon', 'deg')), [
      'lon',
      'lat',
    ]);
    assert.deepEqual(found(entry('WorldPositionX'), entry('WorldPositionY'), entry('X'), entry('Y')), [
      'X',
      'Y',
    ]);
    assert.deepEqual(found(entry('x', 'm'), entry('y', 'bar'), entry('mapx', 'mm'), entry('mapy', 'mm')), [
      'mapx',
      'mapy',
    ]);
    const ofTwo = [entry('carX', 'm', '/car'), entry('gpsY', 'm', '/gps'), entry('carY', 'm', '/car')];
    assert.deepEqual(found(...ofTwo), ['carX', 'carY']);
    assert.ok(isLongitude(entry('GPS Long')) && isLatitude(entry('lat')) && !isLongitude(entry('x')));
  });
});
