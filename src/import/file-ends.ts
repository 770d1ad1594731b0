/** What the ends of names say of files: how each of them is read. */
export const fileKinds = {
  text: ['.csv', '.tsv', '.txt', '.vbo', '.lvm', '.asc', '.ascii', '.log'],
  motec: ['.ld'],
  mdf4: ['.mf4'],
  mcap: ['.mcap'],
  can: ['.blf', '.candump'],
  nmea: ['.nmea'],
  gpx: ['.gpx'],
  parquet: ['.parquet'],
  json: ['.json', '.ndjson', '.jsonl'],
  arrow: ['.arrow', '.arrows', '.feather', '.ipc'],
} as const;

export type FileKind = keyof typeof fileKinds;
