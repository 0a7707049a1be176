import { say } from '../../texts/index.ts';
import { typedAs } from '../typed-as.ts';
import { faultOf, MOST_FIELDS } from './form-schema.ts';
import { actSaved, runSaved, type SavedCommand, savedSpec } from './saved.ts';
import { act as actFilled } from './filled.ts';
import type { Called, CalledCommand, Run } from './run.ts';

export const spec = savedSpec('schema', 'saved.schema.about', ['list', 'show', 'save', 'remove']);

const SCHEMA: SavedCommand = {
  kind: 'schema',
  shown: (text) => ['```', text, '```'].join('\n'),
  refused: (text, { locale }, { readAs }) => {
    const fault = faultOf(text, readAs);
    return fault && say(locale, `saved.schema.${fault.why}`, { most: MOST_FIELDS, why: fault.told ?? '' });
  },
  beside: () => [],
  under: ({ locale, invocation }, { name }, { settings }) => {
    const command = typedAs(invocation.platform, 'ask', settings);
    return [{ kind: 'note', markdown: say(locale, 'saved.schema.how', { command, name }) }];
  },
};

export const run: Run<CalledCommand> = (called, deps) => runSaved(SCHEMA, called, deps);

/** The form that saves one, and what is pressed and filled in under one that an answer filled in. */
export const act: Run<Called<'action' | 'form'>> = (called, deps, delivery) =>
  called.call.action.name === 'schema.save'
    ? actSaved(SCHEMA, called, deps)
    : actFilled(called, deps, delivery);
