import { namesText, plainName } from '../channel-names.ts';
import { type Dbc, type DbcMessage, type DbcSignal, keyOf } from './dbc.ts';
import { type DbcTokens, dbcTokens } from './dbc-tokens.ts';

/** A message while its file is read. */
interface MessageDraft {
  name: string;
  readonly id: number;
  readonly isExtended: boolean;
  readonly length: number;
  readonly signals: Map<string, SignalDraft>;
}

type SignalDraft = { -readonly [Key in keyof DbcSignal]: DbcSignal[Key] } & {
  /** `M`, `m3` or `m3M` as the file has it. */
  readonly role: string;
  names: Map<number, string>;
  /** Numbers that were named again, otherwise. */
  readonly named: Set<number>;
};

const extendedFlag = 0x8000_0000;
/** What has this id belongs to no message. */
const noMessage = 'VECTOR__INDEPENDENT_SIG_MSG';
const longestFrame = 64;

/**
 * A DBC file:
 *
 *   BO_ id name: bytes sender
 *    SG_ name [M|m3|m3M] : first bit|bits@1+ (factor,offset) [least|most] "unit" receivers
 *   VAL_ id signal number "name" … ;               names of raw numbers
 *   SIG_VALTYPE_ id signal : 1 ;                   1 and 2: a floating-point number of 32 or 64 bits
 *   SG_MUL_VAL_ id signal by 3-5, 7-7 ;            it is there only with these raw numbers of another
 *   BA_ "SystemSignalLongSymbol" SG_ id signal "long name" ;
 *
 * Bit 31 of an id says that it has 29 bits; `@1` is Intel and `@0` Motorola, `+` unsigned and `-` signed. Throws a FileFault that names
 * file and line.
 */
export function parseDbc(text: string, file: string): Dbc {
  const tokens = dbcTokens(text, file);
  const messages = new Map<number, MessageDraft>();
  let message: MessageDraft | undefined;
  for (let word = tokens.next(); word !== undefined; word = tokens.next()) {
    switch (word) {
      case 'BO_':
        message = readMessage(tokens);
        if (message.name === noMessage) break;
        if (messages.has(keyOf(message.id, message.isExtended)))
          throw tokens.fault(`a message with the id ${shownId(message)} was described before`);
        messages.set(keyOf(message.id, message.isExtended), message);
        break;
      case 'SG_':
        if (message === undefined) throw tokens.fault('a signal stands before the first message');
        readSignal(tokens, message);
        break;
      case 'NS_':
        skipSymbols(tokens);
        break;
      case 'VAL_':
        readNames(tokens, messages);
        break;
      case 'SIG_VALTYPE_':
        readValueType(tokens, messages);
        break;
      case 'SG_MUL_VAL_':
        readRanges(tokens, messages);
        break;
      case 'BA_':
        readAttribute(tokens, messages);
        break;
      default:
        // Other statements have a semicolon at their end; lists of nodes and the like have none.
        if (/_$/.test(word) && word !== 'BU_' && word !== 'BS_') tokens.skip();
    }
  }
  if (messages.size === 0) throw tokens.fault('there is no message (BO_) in this file: is it a DBC file?');
  for (const one of messages.values()) multiplex(one, tokens);
  return {
    messages: new Map(
      [...messages].map(([key, one]): [number, DbcMessage] => [
        key,
        { ...one, signals: [...one.signals.values()] },
      ]),
    ),
    notes: namesText(
      `numbers with several names in ${file}, of which the last counts`,
      [...messages.values()].flatMap(namedAgain),
    ),
  };
}

function namedAgain({ name, signals }: MessageDraft): string[] {
  return [...signals.values()].flatMap((signal) =>
    [...signal.named].map((value) => `${value} of ${name}.${signal.name} ('${signal.names.get(value)}')`),
  );
}

function shownId({ id }: Pick<MessageDraft, 'id'>): string {
  return `0x${id.toString(16).toUpperCase()}`;
}

function readMessage(tokens: DbcTokens): MessageDraft {
  const id = tokens.number();
  const name = tokens.word();
  tokens.expect(':');
  const length = tokens.number();
  return { ...idOf(id), name, length, signals: new Map() };
}

function idOf(id: number): { id: number; isExtended: boolean } {
  const isExtended = id >= extendedFlag;
  return { id: (isExtended ? id - extendedFlag : id) % 2 ** 29, isExtended };
}

function readSignal(tokens: DbcTokens, message: MessageDraft): void {
  const name = tokens.word();
  const role = tokens.peek() === ':' ? '' : tokens.word();
  if (!/^(?:M|m\d+M?)?$/.test(role)) throw tokens.fault(`signal ${name} has '${role}' for a multiplexer`);
  tokens.expect(':');
  const startBit = tokens.number();
  tokens.expect('|');
  const length = tokens.number();
  tokens.expect('@');
  const isIntel = tokens.number() === 1;
  const sign = tokens.next();
  if (sign !== '+' && sign !== '-') throw tokens.fault(`signal ${name} has neither + nor -`);
  tokens.expect('(');
  const factor = tokens.number();
  tokens.expect(',');
  const offset = tokens.number();
  tokens.expect(')');
  tokens.expect('[');
  tokens.number();
  tokens.expect('|');
  tokens.number();
  tokens.expect(']');
  const unit = plainName(tokens.text());
  if (!Number.isInteger(length) || length < 1 || length > 64)
    throw tokens.fault(`signal ${name} has ${length} bits; 1 to 64 are read`);
  if (!Number.isInteger(startBit) || startBit < 0 || startBit >= longestFrame * 8)
    throw tokens.fault(`signal ${name} begins at bit ${startBit}, which no frame has`);
  if (message.signals.has(name))
    throw tokens.fault(`the signal ${name} of ${message.name} was described before`);
  message.signals.set(name, {
    name,
    role,
    startBit,
    length,
    isIntel,
    isSigned: sign === '-',
    isFloat: false,
    factor,
    offset,
    unit,
    names: new Map(),
    named: new Set(),
    multiplexed: undefined,
  });
}

/** The words that a file may use. They are those of its statements, so that they must not be taken for such. */
function skipSymbols(tokens: DbcTokens): void {
  tokens.expect(':');
  for (let word = tokens.peek(); word !== undefined && /^(?:\w+_|FILTER)$/.test(word); word = tokens.peek()) {
    if (word === 'BS_' || word === 'BU_' || word === 'BO_') return;
    tokens.next();
  }
}

/** The signal that a statement names; undefined where no message has it, as some tools leave behind. */
function signalOf(tokens: DbcTokens, messages: ReadonlyMap<number, MessageDraft>): SignalDraft | undefined {
  const { id, isExtended } = idOf(tokens.number());
  return messages.get(keyOf(id, isExtended))?.signals.get(tokens.word());
}

function readNames(tokens: DbcTokens, messages: ReadonlyMap<number, MessageDraft>): void {
  // Names of the values of an environment variable have no id.
  if (!/^\d/.test(tokens.peek() ?? '')) {
    tokens.skip();
    return;
  }
  const signal = signalOf(tokens, messages);
  // Or the name of a table of names follows, of other tools.
  while (/^[-+\d.]/.test(tokens.peek() ?? '')) {
    const value = tokens.number();
    const name = tokens.text();
    if (signal === undefined) continue;
    if ((signal.names.get(value) ?? name) !== name) signal.named.add(value);
    signal.names.set(value, name);
  }
  tokens.skip();
}

function readValueType(tokens: DbcTokens, messages: ReadonlyMap<number, MessageDraft>): void {
  const signal = signalOf(tokens, messages);
  if (tokens.peek() === ':') tokens.next();
  const type = tokens.number();
  tokens.expect(';');
  if (signal === undefined || type === 0) return;
  if ((type !== 1 || signal.length !== 32) && (type !== 2 || signal.length !== 64))
    throw tokens.fault(`signal ${signal.name} has ${signal.length} bits for a floating-point number`);
  signal.isFloat = true;
}

function readRanges(tokens: DbcTokens, messages: ReadonlyMap<number, MessageDraft>): void {
  const { id, isExtended } = idOf(tokens.number());
  const message = messages.get(keyOf(id, isExtended));
  const [name, by] = [tokens.word(), tokens.word()];
  const ranges: [number, number][] = [];
  while (tokens.peek() !== ';') {
    const first = tokens.number();
    // Its dash is read as a sign.
    const last = -tokens.number();
    ranges.push([first, last]);
    if (tokens.peek() === ',') tokens.next();
  }
  tokens.next();
  const [signal, other] = [message?.signals.get(name), message?.signals.get(by)];
  if (signal === undefined) return;
  if (other === undefined) throw tokens.fault(`signal ${name} is multiplexed by ${by}, which is not there`);
  signal.multiplexed = { by: other, ranges };
}

function readAttribute(tokens: DbcTokens, messages: ReadonlyMap<number, MessageDraft>): void {
  const attribute = tokens.text();
  const kind = tokens.peek();
  if (attribute === 'SystemSignalLongSymbol' && kind === 'SG_') {
    tokens.next();
    const signal = signalOf(tokens, messages);
    const name = plainName(tokens.text());
    if (signal !== undefined && name !== '') signal.name = name;
  } else if (attribute === 'SystemMessageLongSymbol' && kind === 'BO_') {
    tokens.next();
    const { id, isExtended } = idOf(tokens.number());
    const message = messages.get(keyOf(id, isExtended));
    const name = plainName(tokens.text());
    if (message !== undefined && name !== '') message.name = name;
  }
  tokens.skip();
}

/** Signals with `m3` belong to the one with `M`, unless the file says more. Throws a FileFault where there is none, or a circle. */
function multiplex({ name, signals }: MessageDraft, tokens: DbcTokens): void {
  const switches = [...signals.values()].filter(({ role }) => role === 'M');
  for (const signal of signals.values()) {
    const value = /^m(\d+)/.exec(signal.role)?.[1];
    if (value === undefined || signal.multiplexed !== undefined) continue;
    const [by] = switches;
    if (by === undefined || switches.length > 1)
      throw tokens.fault(
        `signal ${signal.name} of ${name} is multiplexed, and ${switches.length} signals have an M`,
      );
    signal.multiplexed = { by, ranges: [[Number(value), Number(value)]] };
  }
  for (const signal of signals.values()) {
    let depth = 0;
    for (let by = signal.multiplexed?.by; by !== undefined; by = by.multiplexed?.by)
      if (depth++ > signals.size) throw tokens.fault(`signals of ${name} are multiplexed in a circle`);
  }
}
