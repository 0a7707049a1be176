import type { OptionState } from './option-harness.ts';

/** One option, or one choice of one: a call that gives it, and what it promises. */
export type Row = {
  readonly options: OptionState;
  /** Calls before it, as typed in Slack, with what Discord is given. */
  readonly before?: readonly (readonly [command: string, given: OptionState])[];
  /** The same in Slack without the names of options. */
  readonly typed?: string;
  /** What is then shown or changed; on Slack, where it promises something else there. */
  readonly promises: RegExp;
  readonly onSlack?: RegExp;
  /** The same call without the option comes to the same: it is what counts anyway. */
  readonly usual?: true;
};

export const SCHEMA = '{"type":"object","properties":{"title":{"type":"string"}}}';
export const PIRATE = ['persona', { do: 'save', name: 'pirate', text: 'You are a pirate.' }] as const;
export const BUG = ['schema', { do: 'save', name: 'bug', text: SCHEMA }] as const;
export const BUDGET = ['quota', { do: 'set', for: 'person', amount: '$5/day' }] as const;
/** Slack's commands do not say in which thread they were typed. */
export const NO_THREAD =
  /This needs a thread, and Slack accepts no commands in threads\. Choose _More actions › /u;
export const level = (options: OptionState, value: string): Readonly<Record<string, Row>> => ({
  me: {
    options: { ...options, for: 'me' },
    promises: new RegExp(`"person":\\{"values":\\{"\\w+":"${value}"`, 'u'),
    usual: true,
  },
  thread: {
    options: { ...options, for: 'thread' },
    promises: new RegExp(`"thread":\\{"values":\\{"\\w+":"${value}"`, 'u'),
    onSlack: NO_THREAD,
  },
  channel: {
    options: { ...options, for: 'channel' },
    promises: new RegExp(`"channel":\\{"values":\\{"\\w+":"${value}"`, 'u'),
  },
  workspace: {
    options: { ...options, for: 'workspace' },
    promises: new RegExp(`"workspace":\\{"values":\\{"\\w+":"${value}"`, 'u'),
  },
});
