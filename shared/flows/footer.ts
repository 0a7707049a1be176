import type { Ending } from '../conversation/index.ts';
import { resolve } from '../settings/index.ts';
import { type Locale, say } from '../texts/index.ts';
import type { Step } from '../platforms/platform.ts';
import type { Deps } from './ports.ts';

/** What an answer cost in dollars, at today's prices; undefined where no price is known. */
export async function costOfAnswer(
  ending: Ending,
  chat: Pick<Deps['chat'], 'list'> | undefined,
): Promise<number | undefined> {
  if (ending.kind === 'failed' || !ending.usage) return undefined;
  const { model, usage } = ending;
  const known = (await chat?.list?.())?.find(({ id }) => id === model);
  const thousand = known?.perThousand(usage);
  return thousand === undefined ? undefined : thousand / 1_000;
}

/** Dollars as people read them: small sums to the hundredth of a cent. */
export const inDollars = (cost: number, locale = 'en'): string =>
  new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD', maximumFractionDigits: 4 }).format(
    cost,
  );

/** The line under an answer that says which model gave it and at what cost, where people want to see it. */
export async function footerOf(
  ending: Ending,
  locale: Locale,
  { settings, chat }: Pick<Deps, 'settings'> & { readonly chat?: Deps['chat'] | undefined },
): Promise<Step[]> {
  if (ending.kind === 'failed' || resolve('footer', settings.layers).value !== true) return [];
  const { model, usage } = ending;
  const cost = await costOfAnswer(ending, chat);
  const count = usage && usage.promptTokens + usage.completionTokens;
  const tokens = count === undefined ? undefined : say(locale, 'answers.step.tokens', { count });
  const facts = [model, tokens, cost === undefined ? undefined : inDollars(cost, locale)];
  return [{ id: 'footer', title: facts.filter((one) => one !== undefined).join(' · '), state: 'done' }];
}
