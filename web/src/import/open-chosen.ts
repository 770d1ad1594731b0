import { packingOf, unpackedFile } from '../../../src/import/compression/unpacked-file.ts';
import type { FileBytes } from '../../../src/import/file-bytes.ts';
import { kindOfContent } from '../../../src/import/file-kinds.ts';
import type { TextSettings } from '../../../src/import/text/text-layout.ts';
import type { Chosen } from './chosen.ts';
import { readers } from './kinds.ts';
import type { Opened } from './opened.ts';
import type { Reading } from './pace.ts';

/** Pieces of a file are read when they are asked for: a large one is never in memory as a whole. */
export function bytesOf(file: Blob): FileBytes {
  return {
    size: file.size,
    read: async (offset, length) => new Uint8Array(await file.slice(offset, offset + length).arrayBuffer()),
  };
}

/** Opens a file by the end of its name; each reader is loaded when its first file comes. A name that says nothing is that of text. */
export async function openChosen(chosen: Chosen, settings: TextSettings, reading: Reading): Promise<Opened> {
  const { name } = chosen.file;
  if (/\.ldx$/i.test(name))
    throw new Error('An .ldx file has laps only: choose it together with its .ld file.');
  if (/\.dbc$/i.test(name))
    throw new Error('A .dbc file says what frames of a CAN bus mean: choose it together with its log.');
  const packing = packingOf(name);
  const stored = bytesOf(chosen.file);
  const bytes = packing === undefined ? stored : await unpackedFile(stored, packing);
  const kind = (await kindOfContent(name, bytes)) ?? 'text';
  const { open } = await readers[kind]();
  return open({ ...chosen, bytes }, settings, reading);
}
