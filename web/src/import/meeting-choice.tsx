import type { SameTimeChoices } from '../../../src/import/same-time/stored-rows.ts';
import type { Item } from './item.ts';
import { meetingQuestion } from './meeting.ts';

const options: Readonly<Record<keyof SameTimeChoices, readonly (readonly [word: string, text: string])[]>> = {
  restarts: [
    ['streams', 'later runs become streams of their own'],
    ['append', 'each run is put behind the one before'],
    ['replace', 'the times are right: later rows replace earlier ones of the same time'],
  ],
  sameTime: [
    ['keep', 'all are kept, each a nanosecond behind the one before'],
    ['replace', 'the last one replaces the others'],
  ],
};

const legends: Readonly<Record<keyof SameTimeChoices, string>> = {
  restarts: 'The times begin anew. What is meant?',
  sameTime: 'Messages have the same time. What becomes of them?',
};

/** What becomes of rows that meet earlier ones, where it must be said before a file is imported. */
export function MeetingChoice({ item }: { item: Item }) {
  const found = item.opened.value;
  if (found === undefined) return null;
  const given = item.choices.value;
  return (['restarts', 'sameTime'] as const).map((about) => {
    const without = { ...given, [about]: undefined };
    const question = meetingQuestion(found, without);
    if (question?.about !== about) return null;
    return (
      <fieldset class="start-choice" key={about}>
        <legend>{legends[about]}</legend>
        <p class="soft">{question.fact}</p>
        {options[about].map(([word, text]) => (
          <label key={word}>
            <input
              type="radio"
              name={about}
              checked={given[about] === word}
              onChange={() => {
                item.choices.value = { ...given, [about]: word };
              }}
            />
            {text}
          </label>
        ))}
      </fieldset>
    );
  });
}
