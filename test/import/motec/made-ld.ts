/** A channel as the bytes of a log have it: samples are the bytes themselves. */
export interface MadeChannel {
  readonly name: string;
  readonly shortName?: string;
  readonly unit?: string;
  /** The two numbers that say what samples are. */
  readonly kind: readonly [kind: number, bytes: number];
  readonly rate: number;
  readonly samples: Uint8Array;
  readonly shift?: number;
  readonly multiplier?: number;
  readonly scale?: number;
  readonly places?: number;
}

/** Where parts of a made log stand. */
export const madePlaces = { event: 0x6e2, firstChannel: 0x6e2 + 1154, channelBytes: 124 } as const;

/**
 * A MoTeC log, byte by byte after the description of the format: a head of 0x6e2 bytes, the event, the chain of channels
 * of 124 bytes each, then all samples.
 */
export function makeLd(
  channels: readonly MadeChannel[],
  head: Readonly<Record<number, string>> = {},
): Uint8Array {
  const { event, firstChannel, channelBytes } = madePlaces;
  const firstSample = firstChannel + channels.length * channelBytes;
  const size = channels.reduce((sum, { samples }) => sum + samples.length, firstSample);
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  const put = (offset: number, text: string): void => {
    for (let i = 0; i < text.length; i++) bytes[offset + i] = text.charCodeAt(i);
  };
  view.setUint32(0x00, 0x40, true);
  view.setUint32(0x08, channels.length > 0 ? firstChannel : 0, true);
  view.setUint32(0x0c, firstSample, true);
  view.setUint32(0x24, event, true);
  view.setUint32(0x56, channels.length, true);
  put(0x5e, '07/02/2021');
  put(0x7e, '14:51:39');
  for (const [offset, text] of Object.entries(head)) put(Number(offset), text);

  let sample = firstSample;
  channels.forEach((channel, i) => {
    const at = firstChannel + i * channelBytes;
    const [kind, width] = channel.kind;
    view.setUint32(at, i === 0 ? 0 : at - channelBytes, true);
    view.setUint32(at + 0x04, i === channels.length - 1 ? 0 : at + channelBytes, true);
    view.setUint32(at + 0x08, sample, true);
    view.setUint32(at + 0x0c, channel.samples.length / width, true);
    view.setUint16(at + 0x10, 0x2ee1 + i, true);
    view.setUint16(at + 0x12, kind, true);
    view.setUint16(at + 0x14, width, true);
    view.setUint16(at + 0x16, channel.rate, true);
    view.setInt16(at + 0x18, channel.shift ?? 0, true);
    view.setInt16(at + 0x1a, channel.multiplier ?? 1, true);
    view.setInt16(at + 0x1c, channel.scale ?? 1, true);
    view.setInt16(at + 0x1e, channel.places ?? 0, true);
    put(at + 0x20, channel.name);
    put(at + 0x40, channel.shortName ?? '');
    put(at + 0x48, channel.unit ?? '');
    bytes.set(channel.samples, sample);
    sample += channel.samples.length;
  });
  return bytes;
}

/** The .ldx file beside a log, as i2 writes it: times in microseconds. */
export function makeLdx(times: readonly string[]): string {
  const markers = times.map(
    (time, i) => `<Marker Version="100" ClassName="BCN" Name="Manual.${i + 1}" Flags="77" Time="${time}"/>`,
  );
  return `<?xml version="1.0"?>
<LDXFile Locale="English_United Kingdom.1252" DefaultLocale="C" Version="1.6">
 <Layers>
  <Layer>
   <MarkerBlock>
    <MarkerGroup Name="Notes" Index="1"><Marker Name="Not.1" Time="5"/></MarkerGroup>
    <!-- <MarkerGroup Name="Beacons"><Marker Time="6"/></MarkerGroup> -->
    <MarkerGroup Name="Beacons" Index="3">
${markers.map((marker) => `     ${marker}`).join('\n')}
    </MarkerGroup>
   </MarkerBlock>
   <RangeBlock/>
  </Layer>
  <Details><String Id="Total Laps" Value="${times.length + 1}"/></Details>
 </Layers>
</LDXFile>
`;
}
