import { ChannelChoice } from '../channels/channel-choice.tsx';
import { picks, show } from '../state/view.ts';
import { LapsChoice } from './laps-choice.tsx';
import { isFromStart } from './overlay-drawn.ts';
import { overlay } from './overlay-state.ts';
import { ShiftChoices } from './shift-choices.tsx';
import { ValueChoices } from './value-choices.tsx';

/** What is compared, and by what it is aligned. */
export function Choices() {
  const { alignBy, source } = overlay.value;
  return (
    <div class="choices">
      <ChannelChoice
        label="Aligned by"
        chosen={alignBy}
        none="time"
        onChoose={(id) => show({ alignBy: id, across: undefined })}
      />
      {isFromStart.value && <span class="soft">from the start of each lap</span>}
      <LapsChoice source={source} none="none: whole runs" />
      {picks.value.length === 0 && <ValueChoices />}
      <ShiftChoices />
    </div>
  );
}
