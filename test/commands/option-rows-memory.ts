import type { Row } from './option-row.ts';

const ALLOWED = ['settings', { name: 'memory', value: 'on', for: 'workspace' }] as const;
const ON = ['memory', { do: 'on' }] as const;
const BY_CHANNEL = ['memory', { do: 'add', text: 'Be brief.', for: 'channel' }] as const;

/** The options of `memory`, where an administrator has allowed it. The facts of a channel have codes that follow from their text. */
export const MEMORY_ROWS: Readonly<Record<string, Row | Readonly<Record<string, Row>>>> = {
  'memory do': {
    list: {
      options: { do: 'list' },
      before: [ALLOWED],
      typed: 'memory list',
      promises: /Nothing yet/u,
      usual: true,
    },
    on: { options: { do: 'on' }, before: [ALLOWED], typed: 'memory on', promises: /"memoryOptIn":true/u },
    off: { options: { do: 'off' }, before: [ALLOWED], typed: 'memory off', promises: /"memoryOptIn":false/u },
    add: {
      options: { do: 'add', text: 'Be brief.', for: 'channel' },
      before: [ALLOWED],
      promises: /"channelFacts":"Be brief\."/u,
    },
    edit: {
      options: { do: 'edit', fact: 'k1vnuj82', text: 'Be kind.' },
      before: [ALLOWED, BY_CHANNEL],
      promises: /"channelFacts":"Be kind\."/u,
    },
    delete: {
      options: { do: 'delete', fact: 'k1vnuj82' },
      before: [ALLOWED, BY_CHANNEL],
      promises: /Deleted.*Nothing yet/u,
    },
    clear: {
      options: { do: 'clear' },
      before: [ALLOWED],
      typed: 'memory clear',
      promises: /I have deleted everything/u,
    },
  },
  'memory text': {
    options: { do: 'add', text: 'I like tea.' },
    before: [ALLOWED, ON],
    typed: 'memory add I like tea.',
    promises: /I like tea\./u,
  },
  'memory fact': {
    options: { do: 'delete', fact: 'k1vnuj82' },
    before: [ALLOWED, BY_CHANNEL],
    promises: /Deleted.*Nothing yet/u,
  },
  'memory for': {
    me: { options: { do: 'list', for: 'me' }, before: [ALLOWED], promises: /about you/u, usual: true },
    channel: { options: { do: 'list', for: 'channel' }, before: [ALLOWED], promises: /for this channel/u },
  },
};
