import { areStates, namesOf } from '../channels/named-values.ts';
import { namesText, typedNames } from '../state/names-text.ts';
import { show, states, view } from '../state/view.ts';
import { DraftField } from '../ui/draft-field.tsx';

/** What numbers of a channel are called: of the view, and kept with it for the topic. */
export function NamesField({ parameter }: { parameter: string }) {
  const names = namesOf(parameter);
  return (
    <DraftField
      class="names"
      label="Names"
      title="What single numbers are called"
      placeholder="0 = PIT, 1 = OUT"
      value={namesText(names ?? {})}
      onCommit={(text) => {
        const typed = typedNames(text);
        if (typed === undefined) return 'Type numbers and their names, such as 0 = PIT, 1 = OUT';
        const becomesStates = areStates(typed) && !states.value.includes(parameter);
        show({
          names: { ...view.value.names, [parameter]: typed },
          ...(becomesStates && { states: [...states.value, parameter] }),
        });
        return undefined;
      }}
    />
  );
}
