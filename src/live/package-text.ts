import type { EventRow } from '../domain/event-data.ts';
import { isoFromMillis } from '../domain/timestamp.ts';
import type { LiveContent } from './live-package.ts';
import { type Place, parameterData, tagsOf } from './models.ts';
import { JsonText, Sequence } from './sequence.ts';

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
    value: new JsonText(contentOf(place, content)),
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
      return eventList(content.events);
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

function eventList(events: readonly EventRow[]): Sequence {
  return new Sequence(events.length, (into, from, to) => {
    for (let i = from; i < to; i++) {
      const { tags, ...event } = events[i]!;
      into[i - from] = { ...event, tags: tagsOf(tags) };
    }
  });
}
