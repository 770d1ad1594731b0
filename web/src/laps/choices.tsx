import { ChannelChoice } from '../channels/channel-choice.tsx';
import { picks, show } from '../state/view.ts';
import { overlay } from './overlay-state.ts';
import { ShiftChoices } from './shift-choices.tsx';
import { TagChoices } from './tag-choices.tsx';

/** What is compared, and by what it is aligned. */
export function Choices() {
  const { alignBy } = overlay.value;
  return (
    <div class="choices">
      <ChannelChoice
        label="Aligned by"
        chosen={alignBy}
        none="time"
        onChoose={(id) => show({ alignBy: id, across: undefined })}
      />
      <TagChoices isPicked={picks.value.length > 0} />
      <ShiftChoices />
    </div>
  );
}
