import type { Card, CardPart, Option, Usage } from '../../conversation/index.ts';
import { say } from '../../texts/index.ts';
import type { Deps, ListedModel } from '../ports.ts';
import { makeChange, storedLevel } from './change.ts';
import { type AnyCall, type Called, type CalledCommand, DONE, type Run, tell, words } from './run.ts';
import { FOR } from './settings.ts';
import { refreshed } from './settings-card.ts';
import { BOTH, type CommandSpec } from './spec.ts';

export const spec: CommandSpec = {
  name: 'model',
  platforms: BOTH,
  answers: 'private',
  about: 'settings.model.about',
  options: [
    { name: 'model', about: 'settings.model.model.about', kind: 'text', most: 150, suggests: 'model' },
    FOR,
  ],
};

/** A turn of middling size, by which prices are compared where there is no thread to go by. */
const TURN: Usage = { promptTokens: 2_000, completionTokens: 400, reasoningTokens: 0, cachedTokens: 0 };

/** Shows the models there are, or chooses one: for oneself unless told otherwise. */
export const run: Run<CalledCommand> = async (called, deps) => {
  const { model } = called.options;
  const level = storedLevel(called.options['for']);
  return tell(
    called,
    model === undefined ? await models(called, deps) : await choose(called, deps, level, String(model)),
    deps,
  );
};

/** A model was chosen on the card: `model.use|level`. */
export const act: Run<Called<'action' | 'form'>> = async (called, deps) => {
  const { call } = called;
  const [level] = call.action.args;
  if (call.kind !== 'action' || call.action.name !== 'model.use' || !call.chosen[0]) return DONE;
  return tell(called, await choose(called, deps, storedLevel(level), call.chosen[0]), deps);
};

async function choose(
  called: AnyCall,
  deps: Deps,
  level: ReturnType<typeof storedLevel>,
  model: string,
): Promise<Card> {
  const list = (await deps.chat.list?.()) ?? [];
  const known = list.length === 0 || list.some(({ id }) => id === model);
  if (!known && model !== 'reset')
    return words(say(called.locale, 'settings.model.unknown', { model }), 'bad');
  const value = model === 'reset' ? undefined : model;
  const no = await makeChange(called, deps, { kind: 'value', level, setting: 'model', value });
  return no ?? (await models(called, await refreshed(called, deps)));
}

/** What the last turn of this thread came to. */
async function turnOfThread({ invocation: { thread } }: AnyCall, { turns }: Pick<Deps, 'turns'>) {
  const ending = thread && (await turns.seen(thread))?.said?.ending;
  return (ending?.kind === 'answered' && ending.usage) || TURN;
}

async function models(called: AnyCall, deps: Deps): Promise<Card> {
  const { locale } = called;
  const list = (await deps.chat.list?.()) ?? [];
  const turn = await turnOfThread(called, deps);
  const now = deps.settings.model ?? deps.chat.model ?? '–';
  const parts: CardPart[] = [{ kind: 'text', markdown: say(locale, 'settings.model.now', { model: now }) }];
  if (list.length > 0) {
    const reset = { label: say(locale, 'settings.reset'), value: 'reset' };
    const options = [reset, ...list.map((model) => option(model, turn, called))];
    const action = { name: 'model.use', args: ['person'] };
    parts.push({
      kind: 'controls',
      controls: [
        { kind: 'choice', label: say(locale, 'settings.model.choose'), action, options, chosen: now },
      ],
    });
    const tokens = turn.promptTokens + turn.completionTokens;
    parts.push({ kind: 'note', markdown: say(locale, 'settings.model.price', { tokens }) });
  }
  return { title: say(locale, 'settings.model.title'), parts };
}

function option(
  { id, context, takes, ready, perThousand }: ListedModel,
  turn: Usage,
  { locale }: AnyCall,
): Option {
  const cost = perThousand(turn);
  const dollars = { style: 'currency', currency: 'USD', maximumFractionDigits: 2 } as const;
  const price = cost === undefined ? '?' : new Intl.NumberFormat(locale, dollars).format(cost);
  const facts = { context: context ?? 0, price, takes: takes.join(', ') };
  const hint = ready ? say(locale, 'settings.model.hint', facts) : say(locale, 'settings.model.busy');
  return { label: id, value: id, hint };
}
