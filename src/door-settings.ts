import { setting } from './setting.ts';
import { address, mqttUrl, names, optional, text } from './setting-values.ts';

/** Settings of what other programs write in their own protocols. */
export const doorSettings = {
  lineStreamTags: setting(
    'names',
    '',
    names,
    'tags of the line protocol, with commas, whose values make streams of their own of a measurement',
  ),
  lineTopic: setting(
    'name',
    '',
    optional(text),
    "topic of lines of the line protocol whose address names none, as of QuestDB's clients; without it they are refused",
  ),
  prometheusStream: setting(
    'labels',
    'instance',
    names,
    'labels of remote write, with commas, whose values make the stream',
  ),
  otlpTopic: setting(
    'attributes',
    'service.namespace,service.name',
    names,
    'attributes of a resource of OpenTelemetry, with commas: the first one that it has is the topic; a+b is the values of both',
  ),
  otlpStream: setting(
    'attributes',
    'service.instance.id,host.name,service.name',
    names,
    'the same for the stream',
  ),
  collectdTopic: setting('name', 'collectd', text, 'topic of what collectd writes'),
  mqttListen: setting(
    'HOST:PORT',
    '',
    optional(address),
    'an address that takes MQTT, over TCP and in WebSockets; with TLS where there is a certificate',
  ),
  mqttConnect: setting(
    'URL',
    '',
    optional(mqttUrl),
    'an MQTT broker to read from, as mqtt://user:password@host:1883, mqtts:// for TLS',
  ),
  mqttSubscribe: setting('filters', '', names, 'what to read of the broker: filters of MQTT, with commas'),
  mqttClientId: setting('name', 'pitwall', text, 'the id of this service at the broker, of its own'),
  mqttWorkspace: setting('name', 'default', text, 'the workspace of what the broker brings'),
  mqttTopics: setting(
    'rules',
    '',
    names,
    'forms of topics of MQTT before the usual ones, with commas, such as value:{topic}/{stream}/{parameter}; forms: json, value, line, collectd, sparkplug',
  ),
  mqttTime: setting(
    'names',
    'time,timestamp,ts,Time',
    names,
    'fields of flat JSON over MQTT, with commas, the first of which that is there is the time',
  ),
  mqttTags: setting(
    'names',
    '',
    names,
    'user properties of MQTT 5, with commas, that are tags of the rows; * is all',
  ),
} as const;
