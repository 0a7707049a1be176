import { BUG, level, NO_THREAD, type Row } from './option-row.ts';
import { PERSON } from './option-harness.ts';
import { SAVED_ROWS } from './option-rows-saved.ts';

/** By command, option, and choice where it has such. A test holds that each one of the specs has a row. */
export const ROWS: Readonly<Record<string, Row | Readonly<Record<string, Row>>>> = {
  'animate image': { given: { image: '71', prompt: 'Waves.' }, promises: /"kind":"video"/u },
  'animate prompt': { given: { prompt: 'list' }, typed: 'animate list', promises: /You have no videos/u },
  'ask question': {
    given: { question: 'What is a fjord?' },
    typed: 'ask What is a fjord?',
    promises: /question[^}]*What is a fjord\?/u,
  },
  'ask private': {
    given: { question: 'Why?', private: true },
    promises: /flags.*:64|An answer\.[^}]*\}\]\},"openly":false/u,
  },
  'ask model': { given: { question: 'Why?', model: 'big' }, promises: /model\W+big/u },
  'ask schema': {
    given: { question: 'Why?', schema: 'bug' },
    before: [BUG],
    promises: /"title":"bug".*Filled/u,
  },
  'ask attachment': {
    given: { question: 'Why?', attachment: '71' },
    promises: /files[^}]*cdn\.discordapp\.com/u,
  },
  'export what': {
    me: { given: { what: 'me' }, typed: 'export me', promises: /"kind":"export".*"person"/u, usual: true },
    thread: {
      given: { what: 'thread' },
      typed: 'export thread',
      promises: /"kind":"export".*"thread"/u,
      onSlack: NO_THREAD,
    },
  },
  'imagine prompt': {
    given: { prompt: 'A boat.' },
    typed: 'imagine A boat.',
    promises: /A picture could be made.*A boat\./su,
  },
  'imagine video': {
    given: { prompt: 'A boat.', video: true },
    typed: 'imagine A boat. video:yes',
    promises: /A video could be made.*A boat\./su,
  },
  'feedback weeks': { given: { weeks: 1 }, typed: 'feedback 1', promises: /👍 0 · 👎 1/u },
  'feedback rating': {
    good: { given: { rating: 'good' }, typed: 'feedback good', promises: /👍 1 · 👎 0/u },
    bad: { given: { rating: 'bad' }, typed: 'feedback bad', promises: /👍 0 · 👎 1/u },
  },
  'feedback model': { given: { model: 'big' }, promises: /👍 1 · 👎 0/u },
  'feedback here': { given: { here: true }, promises: /👍 0 · 👎 1/u },
  'feedback csv': { given: { csv: true }, promises: /feedback-[\d-]+\.csv/u },
  'forget what': {
    me: { given: { what: 'me' }, typed: 'forget me', promises: /forget\.me/u },
    thread: {
      given: { what: 'thread' },
      typed: 'forget thread',
      promises: /forget\.thread/u,
      onSlack: NO_THREAD,
    },
    message: {
      given: { what: 'message' },
      typed: 'forget message',
      promises: /forget\.message/u,
      onSlack: NO_THREAD,
    },
  },
  'help command': { given: { command: 'model' }, typed: 'help model', promises: /See and choose the model/u },
  'model model': {
    given: { model: 'big' },
    typed: 'model big',
    promises: /"person":\{"values":\{"model":"big"/u,
  },
  'model for': level({ model: 'big' }, 'big'),
  'model takes': Object.fromEntries(
    ['image', 'audio', 'video', 'tools', 'reasoning'].map((takes) => [
      takes,
      { given: { takes }, promises: /"markdown":"- `big`[^"]*"/u },
    ]),
  ),
  'model below': { given: { below: 0.5 }, promises: /"markdown":"- `usual`[^"\n`]*"/u },
  ...SAVED_ROWS,
  'summarise period': {
    yesterday: {
      given: { period: 'yesterday' },
      typed: 'summarise yesterday',
      promises: /Nothing was said here since 31 Dec, 00:00/u,
      usual: true,
    },
    week: {
      given: { period: 'week' },
      typed: 'summarise week',
      promises: /Nothing was said here since 25 Dec/u,
    },
    'last-message': {
      given: { period: 'last-message' },
      typed: 'summarise last-message',
      promises: /Nothing was said here since 18 Dec/u,
    },
  },
  'usage of': {
    mine: { given: { of: 'mine' }, typed: 'usage mine', promises: /What you spent in 7 days/u, usual: true },
    channel: { given: { of: 'channel' }, typed: 'usage channel', promises: /channel/u },
    workspace: { given: { of: 'workspace' }, typed: 'usage workspace', promises: /workspace/u },
  },
  'usage days': { given: { days: 2 }, typed: 'usage 2', promises: /What you spent in 2 days/u },
  'usage csv': { given: { csv: true }, typed: 'usage yes', promises: /usage-[\d-]+\.csv/u },
  'usage who': {
    given: { who: PERSON },
    typed: 'usage @grace',
    promises: /^(?=.*"title":"Usage").*"by":"(?:U0GRACE000|42)"/u,
  },
  'video id': { given: { id: 'v-7' }, typed: 'video v-7', promises: /"title":"v-7"/u },
  'voice do': {
    on: { given: { do: 'on' }, typed: 'voice on', promises: /"channel":\{"values":\{"voice":"request"/u },
    auto: {
      given: { do: 'auto' },
      typed: 'voice auto',
      promises: /"channel":\{"values":\{"voice":"automatic"/u,
    },
    off: { given: { do: 'off' }, typed: 'voice off', promises: /"channel":\{"values":\{"voice":"off"/u },
    optout: { given: { do: 'optout' }, typed: 'voice optout', promises: /"voiceOptOut":true/u },
    optin: { given: { do: 'optin' }, typed: 'voice optin', promises: /"voiceOptOut":false/u },
    language: { given: { do: 'language' }, typed: 'voice language', promises: /"voiceLanguage":"auto"/u },
  },
  'voice language': {
    given: { language: 'fr' },
    typed: 'voice language fr',
    promises: /"voiceLanguage":"fr"/u,
  },
};
