import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  packageSubject,
  placeOf,
  subjectToken,
  subscriptionPattern,
} from '../../../src/live/nats/subject.ts';
import { binaryText } from '../../binary-text.ts';

const hard = [
  'a b',
  '*',
  '>',
  'a.b',
  '.',
  'ä',
  '=Kg',
  '~x',
  '$SYS',
  '\\',
  '"',
  'Ω'.repeat(256),
  'x'.repeat(512),
];

describe('subjects of packages', () => {
  it('are legal whatever the names, and distinct where the names are', () => {
    const name = fc.oneof(binaryText({ minLength: 1 }), fc.constantFrom(...hard));
    fc.assert(
      fc.property(name, name, (a, b) => {
        assert.match(subjectToken(a), /^[\w=~-]+$/);
        assert.equal(subjectToken(a) === subjectToken(b), a === b);
      }),
    );
    const longest = packageSubject('x '.repeat(256), 'y '.repeat(256), 'z '.repeat(256), 'parameterData');
    assert.ok(longest.length < 3000);
    assert.ok(packageSubject('x'.repeat(9999), 'y'.repeat(9999), 'z'.repeat(9999), 'close').length < 200);
  });

  it('say whom they concern', () => {
    assert.deepEqual(placeOf(packageSubject('w 1', 'Cars é', 's', 'close')), {
      workspace: 'w 1',
      topic: 'cars é',
    });
    assert.deepEqual(placeOf(packageSubject('w', 'x'.repeat(9999), 's', 'close')), {
      workspace: 'w',
      topic: '*',
    });
    assert.equal(placeOf(packageSubject('x'.repeat(9999), 't', 's', 'close')), undefined);
  });

  it('keep plain names readable and fold topics', () => {
    assert.equal(packageSubject('default', 'Cars', 'Car-1', 'parameterData'), 'default.cars.Car-1.data');
    assert.equal(
      packageSubject('default', 'ÄB', 's', 'close'),
      packageSubject('default', 'äb', 's', 'close'),
    );
  });

  it('have a pattern for each kind of subscription, with `*` as the wildcard', () => {
    const of = (subscription: Parameters<typeof subscriptionPattern>[1]) =>
      subscriptionPattern('w', subscription);
    assert.equal(of({ kind: 'parameter', topic: 'Cars', streamId: 'S', id: 'p' }), 'w.cars.S.data');
    assert.equal(of({ kind: 'event', topic: '*', streamId: 'S', id: '*' }), 'w.*.S.event');
    assert.equal(of({ kind: 'parameterDefinitions', topic: 'c', streamId: '*' }), 'w.c.*.pdef');
    assert.equal(of({ kind: 'eventDefinitions', topic: 'c', streamId: 'a.b' }), 'w.c.=YS5i.edef');
    assert.equal(of({ kind: 'packages', topic: 'c' }), 'w.c.*.*');
    assert.equal(of({ kind: 'activeStreams', topic: 'c' }), undefined);
    assert.equal(of({ kind: 'topicMetrics', topic: 'c' }), undefined);
  });
});
