import { timeFormText } from '../../../src/import/text/map-rows.ts';
import type {
  Separator,
  TextEncoding,
  TextSettings,
  TimeDoubt,
  TimeForm,
} from '../../../src/import/text/text-layout.ts';
import { DraftField } from '../ui/draft-field.tsx';
import type { Item } from './item.ts';
import type { OpenedText } from './opened.ts';
import { reopen } from './queue.ts';

const separators: readonly (readonly [Separator, string])[] = [
  [',', 'comma'],
  [';', 'semicolon'],
  ['\t', 'tab'],
  [' ', 'spaces'],
];
const decimals = [
  ['.', 'point: 1.5'],
  [',', 'comma: 1,5'],
] as const;
const encodings: readonly (readonly [TextEncoding, string])[] = [
  ['utf-8', 'UTF-8'],
  ['utf-16le', 'UTF-16'],
  ['utf-16be', 'UTF-16, big-endian'],
  ['windows-1252', 'Latin-1'],
];

const timeForms = Object.entries(timeFormText) as [TimeForm, string][];

function proposal({ proposed }: TimeDoubt): string {
  return proposed === undefined ? 'choose one' : `choose one, probably: ${timeFormText[proposed]}`;
}

/** How the text is read: what was guessed, to be changed. */
export function TextChoices({ item, found }: { item: Item; found: OpenedText }) {
  const { layout } = found.review;
  const change = (part: Partial<TextSettings>) => {
    reopen(item, part);
  };
  const line = (name: 'headerLine' | 'unitsLine') => (text: string) => {
    if (!/^\d{0,7}$/.test(text)) return 'The number of a line, or nothing';
    change({ [name]: Number(text) });
    return undefined;
  };
  return (
    <div class="choices">
      <DraftField
        label="Names in line"
        class="short"
        value={layout.headerLine === 0 ? '' : String(layout.headerLine)}
        onCommit={line('headerLine')}
      />
      <DraftField
        label="Units in line"
        class="short"
        value={layout.unitsLine === 0 ? '' : String(layout.unitsLine)}
        onCommit={line('unitsLine')}
      />
      <Choice
        label="Separator"
        value={layout.separator}
        options={separators}
        onChange={(separator) => change({ separator })}
      />
      <Choice
        label="Decimals with"
        value={layout.decimal}
        options={decimals}
        onChange={(decimal) => change({ decimal })}
      />
      <Choice
        label="Time in"
        value={layout.timeDoubt === undefined ? layout.timeForm : ''}
        options={
          layout.timeDoubt === undefined ? timeForms : [['', proposal(layout.timeDoubt)], ...timeForms]
        }
        onChange={(timeForm) => {
          if (timeForm !== '') change({ timeForm });
        }}
      />
      <Choice
        label="Letters"
        value={layout.encoding}
        options={encodings}
        onChange={(encoding) => change({ encoding })}
      />
    </div>
  );
}

interface ChoiceProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly options: readonly (readonly [Value, string])[];
  readonly onChange: (value: Value) => void;
}

function Choice<Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value as Value)}>
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}
