import { BUDGET, BUG, level, PIRATE, type Row, SCHEMA } from './option-row.ts';
import { PERSON } from './option-harness.ts';

/** Options of the commands that save something for others: personas, budgets, schemas and settings. */
export const SAVED_ROWS: Readonly<Record<string, Row | Readonly<Record<string, Row>>>> = {
  'persona do': {
    list: {
      options: { do: 'list' },
      typed: 'persona list',
      promises: /No persona is saved yet/u,
      usual: true,
    },
    show: {
      options: { do: 'show', name: 'pirate' },
      typed: 'persona show pirate',
      before: [PIRATE],
      promises: /"title":"pirate"/u,
    },
    save: {
      options: { do: 'save', name: 'pirate', text: 'Arr.' },
      typed: 'persona save pirate Arr.',
      promises: /"name":"pirate","text":"Arr\."/u,
    },
    use: {
      options: { do: 'use', name: 'pirate' },
      typed: 'persona use pirate',
      before: [PIRATE],
      promises: /"person":\{"values":\{"persona":"pirate"/u,
    },
    remove: {
      options: { do: 'remove', name: 'pirate' },
      typed: 'persona remove pirate',
      before: [PIRATE],
      promises: /is removed.*"saved":\[\[\]/u,
    },
  },
  'persona name': {
    options: { do: 'save', name: 'pirate' },
    typed: 'persona save pirate',
    promises: /pirate/u,
  },
  'persona text': { options: { do: 'save', name: 'pirate', text: 'Arr.' }, promises: /"text":"Arr\."/u },
  'persona for': Object.fromEntries(
    Object.entries(level({ do: 'use', name: 'pirate' }, 'pirate')).map(([of, row]) => [
      of,
      { ...row, before: [PIRATE] },
    ]),
  ),
  'quota do': {
    show: { options: { do: 'show' }, typed: 'quota show', promises: /No budgets are set/u, usual: true },
    set: {
      options: { do: 'set', amount: '$5/day' },
      typed: 'quota set $5/day',
      promises: /"rules":\[\{"scope":"person"/u,
    },
    drop: { options: { do: 'drop' }, typed: 'quota drop', before: [BUDGET], promises: /No budgets are set/u },
    grant: {
      options: { do: 'grant', amount: '$2' },
      typed: 'quota grant $2',
      before: [['quota', { do: 'set', amount: '$5/day' }]],
      promises: /"grants":\[\{"scope":"person"/u,
    },
    block: {
      options: { do: 'block', who: PERSON },
      typed: 'quota block @grace',
      promises: /"blocked":\["(?:U0GRACE000|42)"\]/u,
    },
    unblock: {
      options: { do: 'unblock', who: PERSON },
      typed: 'quota unblock @grace',
      before: [['quota', { do: 'block', who: PERSON }]],
      promises: /"blocked":\[\]/u,
    },
    reset: { options: { do: 'reset' }, typed: 'quota reset', promises: /It starts again/u },
    zone: {
      options: { do: 'zone', amount: 'Europe/Berlin' },
      typed: 'quota zone Europe/Berlin',
      promises: /"zone":"Europe\/Berlin"/u,
    },
  },
  'quota for': {
    person: {
      options: { do: 'set', for: 'person', amount: '5/day' },
      typed: 'quota set person 5/day',
      promises: /"scope":"person"/u,
      usual: true,
    },
    channel: {
      options: { do: 'set', for: 'channel', amount: '5/day' },
      typed: 'quota set channel 5/day',
      promises: /"scope":"channel"/u,
    },
    workspace: {
      options: { do: 'set', for: 'workspace', amount: '5/day' },
      typed: 'quota set workspace 5/day',
      promises: /"scope":"workspace"/u,
    },
  },
  'quota amount': { options: { do: 'set', amount: '7/week' }, promises: /"period":"week","requests":7/u },
  'quota who': {
    options: { do: 'set', amount: '5/day', who: PERSON },
    typed: 'quota set 5/day @grace',
    promises: /"of":"(?:U0GRACE000|42)"/u,
  },
  'quota here': {
    options: { do: 'set', amount: '5/day', here: true },
    promises: /"scope":"channel","of":"(?:C\w+|31)"/u,
  },
  'schema do': {
    list: { options: { do: 'list' }, typed: 'schema list', promises: /No form is saved yet/u, usual: true },
    show: {
      options: { do: 'show', name: 'bug' },
      typed: 'schema show bug',
      before: [BUG],
      promises: /"title":"bug"/u,
    },
    save: {
      options: { do: 'save', name: 'bug', text: SCHEMA },
      typed: `schema save bug ${SCHEMA}`,
      promises: /"name":"bug","text":/u,
    },
    remove: {
      options: { do: 'remove', name: 'bug' },
      typed: 'schema remove bug',
      before: [BUG],
      promises: /is removed/u,
    },
  },
  'schema name': { options: { do: 'save', name: 'bug' }, typed: 'schema save bug', promises: /bug/u },
  'schema text': {
    options: { do: 'save', name: 'bug', text: SCHEMA },
    typed: `schema save bug ${SCHEMA}`,
    promises: /"name":"bug","text":/u,
  },
  'settings name': {
    options: { name: 'temperature' },
    typed: 'settings temperature',
    promises: /settings\.write\W+me\W+temperature|temperature/u,
  },
  'settings value': {
    options: { name: 'reasoning', value: 'full' },
    typed: 'settings reasoning full',
    promises: /"person":\{"values":\{"reasoning":"full"/u,
  },
  'settings for': level({ name: 'reasoning', value: 'full' }, 'full'),
  'settings lock': {
    options: { name: 'model', for: 'workspace', lock: 'too dear' },
    promises: /"locks":\{"model":\{"reason":"too dear"/u,
  },
};
