import type { Message } from '../slack/state.ts';
import type { PageState } from './workspace.d.ts';

/** How a message is shown, and the actions of the person on it. */
export type Viewing = {
  readonly replies: readonly Message[];
  readonly openThread?: (root: string) => void;
  readonly now: number;
  readonly person: string;
  readonly editing: boolean;
  readonly act: {
    press(person: string, message: Message, block: number, nth: number, value?: string): void;
  };
};

/** One message, as an element of the page. */
export function messageView(state: PageState, message: Message, viewing: Viewing): Element;
