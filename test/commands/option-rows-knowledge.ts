import type { Row } from './option-row.ts';

const ON = ['settings', { name: 'tools', value: 'knowledge', for: 'channel' }] as const;
const ADD = ['knowledge', { do: 'add', what: 'https://wiki.example.com/leave' }] as const;

/** The rows of the command for the collection of a channel. */
export const KNOWLEDGE_ROWS: Readonly<Record<string, Row | Readonly<Record<string, Row>>>> = {
  'knowledge do': {
    list: {
      options: { do: 'list' },
      before: [ON, ADD],
      typed: 'knowledge list',
      promises: /Knowledge of this channel.*Handbook.*1 passage/u,
      usual: true,
    },
    add: {
      options: ADD[1],
      before: [ON],
      typed: `knowledge add ${ADD[1].what}`,
      promises: /“Handbook” is added: one passage/u,
    },
    remove: {
      options: { do: 'remove', what: 'Handbook' },
      before: [ON, ADD],
      typed: 'knowledge remove Handbook',
      promises: /“Handbook” is removed/u,
    },
  },
  'knowledge what': {
    options: { do: 'remove', what: 'https://wiki.example.com/leave' },
    before: [ON, ADD],
    promises: /“Handbook” is removed/u,
  },
};
