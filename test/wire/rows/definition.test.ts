import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whole } from '../../../src/turns/steps.ts';
import { eventDefinitionSteps, parameterDefinitionSteps } from '../../../src/wire/rows/definition.ts';
import { defaultPayloadLimits } from '../../payload-limits.ts';
import { assertFault, assertTruncationsFail, bytesOf } from '../faults.ts';

const parameters = (text: string) => whole(parameterDefinitionSteps(bytesOf(text), defaultPayloadLimits));
const events = (text: string) => whole(eventDefinitionSteps(bytesOf(text), defaultPayloadLimits));

test('reads definitions of parameters', () => {
  assert.deepEqual(parameters('[]'), []);
  assert.deepEqual(
    parameters(`[
      {"id":"Speed","name":"Speed over ground","description":"d","minimumValue":-0.5,"maximumValue":400,"unit":"km/h",
       "format":"{0:F1}","customProperties":"{}","location":"chassis/front"},
      {"Id":"Gear","Unit":null}]`),
    [
      {
        id: 'Speed',
        name: 'Speed over ground',
        description: 'd',
        minimumValue: -0.5,
        maximumValue: 400,
        unit: 'km/h',
        format: '{0:F1}',
        customProperties: '{}',
        location: '/chassis/front',
      },
      { id: 'Gear' },
    ],
  );
});

test('reads definitions of events, levels in any case', () => {
  assert.deepEqual(
    events('[{"id":"crash","level":"CRITICAL","location":"/a"},{"id":"pit","Level":"information"}]'),
    [
      { id: 'crash', location: '/a', level: 'Critical' },
      { id: 'pit', level: 'Information' },
    ],
  );
});

test('refuses what is not a definition and says where', () => {
  assertFault(() => parameters('{"id":"a"}'), 'wrong_type', '', 'an array');
  assertFault(() => parameters('[{"name":"a"}]'), 'missing_property', '[0].id');
  assertFault(
    () => parameters('[{"id":"a"},{"id":"b","minimumValue":"3"}]'),
    'wrong_type',
    '[1].minimumValue',
  );
  assertFault(() => parameters('[{"id":"a","maximumValue":1e400}]'), 'invalid_value', '[0].maximumValue');
  assertFault(() => parameters('[{"id":"a","unti":"kg"}]'), 'unknown_property', '[0]', '"unit"');
  assertFault(() => parameters('[{"id":"a","level":"Error"}]'), 'unknown_property', '[0]');
  assertFault(() => parameters('[{"id":"a","customProperties":{}}]'), 'wrong_type', '[0].customProperties');
  assertFault(() => events('[{"id":"a","level":"Eror"}]'), 'invalid_value', '[0].level', 'Error');
  assertFault(() => events('[{"id":"a","unit":"kg"}]'), 'unknown_property', '[0]');
  assertTruncationsFail('[{"id":"a","level":"Error"}]', (body) =>
    whole(eventDefinitionSteps(body, defaultPayloadLimits)),
  );
});

test('keeps the limits', () => {
  const limits = { ...defaultPayloadLimits, maxParameters: 1, maxStringBytes: 3 };
  const decode = (text: string) => whole(parameterDefinitionSteps(bytesOf(text), limits));
  assertFault(() => decode('[{"id":"a"},{"id":"b"}]'), 'too_many_parameters', '', '1');
  assertFault(() => decode('[{"id":"a","description":"1234"}]'), 'string_too_long', '[0].description');
});
