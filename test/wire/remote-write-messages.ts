import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import protobuf from 'protobufjs';
import { root } from '../root.ts';

/** Messages as npm's prometheus-remote-write has them in its file, written by protobufjs. */
export interface WrittenSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly samples: readonly (readonly [ms: number | string, value: number])[];
}

const version1 = protobuf.parse(
  `${readFileSync(join(root, 'node_modules/prometheus-remote-write/prom.proto'), 'utf8')}`,
).root;

/** After the specification, "Protobuf messages" of remote write 2.0. */
const version2 = protobuf.parse(`
syntax = "proto3";
package io.prometheus.write.v2;
message Request { repeated string symbols = 4; repeated TimeSeries timeseries = 5; }
message TimeSeries {
  repeated uint32 labels_refs = 1; repeated Sample samples = 2; repeated Histogram histograms = 3;
  repeated Exemplar exemplars = 4; Metadata metadata = 5;
}
message Exemplar { repeated uint32 labels_refs = 1; double value = 2; int64 timestamp = 3; }
message Sample { double value = 1; int64 timestamp = 2; }
message Metadata { uint32 type = 1; uint32 help_ref = 3; uint32 unit_ref = 4; }
message Histogram { uint64 count_int = 1; double sum = 3; }
`).root;

export function write1(series: readonly WrittenSeries[], more: object = {}): Buffer {
  const timeseries = series.map(({ labels, samples }) => ({
    labels: Object.entries(labels).map(([name, value]) => ({ name, value })),
    samples: samples.map(([timestamp, value]) => ({ timestamp, value })),
  }));
  return encode(version1.lookupType('prometheus.WriteRequest'), { timeseries, ...more });
}

/** @param metadata of each series: type, help and unit */
export function write2(
  series: readonly (WrittenSeries & { metadata?: readonly [number, string, string]; more?: object })[],
): Buffer {
  const symbols = [''];
  const ref = (text: string): number => {
    const known = symbols.indexOf(text);
    return known >= 0 ? known : symbols.push(text) - 1;
  };
  const timeseries = series.map(({ labels, samples, metadata, more }) => ({
    labelsRefs: Object.entries(labels).flatMap(([name, value]) => [ref(name), ref(value)]),
    samples: samples.map(([timestamp, value]) => ({ timestamp, value })),
    ...(metadata && {
      metadata: { type: metadata[0], helpRef: ref(metadata[1]), unitRef: ref(metadata[2]) },
    }),
    ...more,
  }));
  return encode(version2.lookupType('io.prometheus.write.v2.Request'), { symbols, timeseries });
}

function encode(type: protobuf.Type, value: object): Buffer {
  return Buffer.from(type.encode(type.fromObject(value)).finish());
}

/** The bits of the double that is no number and stands in the place of this one. */
export function withBits(body: Buffer, placeholder: number, bits: bigint): Buffer {
  const wanted = Buffer.alloc(8);
  wanted.writeDoubleLE(placeholder);
  const at = body.indexOf(wanted);
  if (at < 0) throw new Error(`${placeholder} is not there`);
  const changed = Buffer.from(body);
  changed.writeBigUInt64LE(bits, at);
  return changed;
}

export const staleBits = 0x7ff0000000000002n;
