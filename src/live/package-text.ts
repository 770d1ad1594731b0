import { isoFromMillis } from '../domain/timestamp.ts';
import type { LiveContent } from './live-package.ts';
import { type Place, parameterData, tagsOf } from './models.ts';

const types: Readonly<Record<LiveContent['type'], string>> = {
  parameterData: 'ParameterData',
  eventData: 'EventData',
  parameterDefinitions: 'ParameterDefinitions',
  eventDefinitions: 'EventDefinitions',
  stream: 'StreamProperties',
  close: 'StreamEnd',
};

/** A package as `PackageReceived` has it: its content as JSON text, integers with all their digits. */
export function packageModel(place: Place, content: LiveContent, time: number) {
  return {
    topicId: place.topic,
    topicName: place.topic,
    streamId: place.streamId,
    type: types[content.type],
    value: jsonText(contentOf(place, content)),
    dateTime: isoFromMillis(time),
  };
}

function contentOf(place: Place, content: LiveContent): unknown {
  switch (content.type) {
    case 'parameterData': {
      const {
        topicId: _id,
        topicName: _name,
        streamId: _stream,
        ...data
      } = parameterData(place, content.rows, () => true);
      return data;
    }
    case 'eventData':
      return content.events.map(({ tags, ...event }) => ({ ...event, tags: tagsOf(tags) }));
    case 'parameterDefinitions':
    case 'eventDefinitions':
      return content.definitions;
    case 'stream': {
      const { timeOfRecording, ...properties } = content.properties ?? {};
      if (timeOfRecording === undefined) return properties;
      return { ...properties, timeOfRecording: isoFromMillis(timeOfRecording) };
    }
    case 'close':
      return { endType: content.endType };
  }
}

/** JSON of plain data with bigints; numbers that JSON does not have are strings, as everywhere on the wire. */
export function jsonText(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return `"${value}"`;
    return Object.is(value, -0) ? '-0' : String(value);
  }
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (value instanceof Uint8Array) return `"${Buffer.from(value).toString('base64')}"`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`).join(',')}}`;
}
