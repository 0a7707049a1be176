import type { Route, Routes } from '../route.ts';
import { CHANNELS } from './channels.ts';
import { COMMANDS } from './commands.ts';
import { INTERACTIONS } from './interactions.ts';
import { MESSAGES } from './messages.ts';
import { SEARCH } from './search.ts';
import { USERS } from './users.ts';

export const ROUTES: Routes = { ...MESSAGES, ...CHANNELS, ...COMMANDS, ...INTERACTIONS, ...SEARCH, ...USERS };

/** A matched route: its name, and its path parameters. */
export type Found = {
  readonly name: string;
  readonly route: Route;
  readonly parts: Readonly<Record<string, string>>;
};

const TABLE = Object.entries(ROUTES).map(([name, route]) => {
  const [method = '', template = ''] = name.split(' ');
  return { name, route, method, steps: template.split('/') };
});

/** The route of a request; the more specific one of two matches. Undefined if there is none. */
export function routeFor(method: string, path: string): Found | undefined {
  const steps = path.split('/');
  const fitting = TABLE.filter((one) => one.method === method && fits(one.steps, steps));
  const [best] = fitting.toSorted((a, b) => open(a.steps) - open(b.steps));
  if (!best) return undefined;
  const parts = Object.fromEntries(
    best.steps.flatMap((step, index) =>
      step.startsWith('{') ? [[step.slice(1, -1), decoded(steps[index] ?? '')]] : [],
    ),
  );
  return { name: best.name, route: best.route, parts };
}

const fits = (template: readonly string[], steps: readonly string[]): boolean =>
  template.length === steps.length &&
  template.every((step, index) =>
    step.startsWith('{') ? steps[index] !== '' : step === decoded(steps[index] ?? ''),
  );

const open = (steps: readonly string[]): number => steps.filter((step) => step.startsWith('{')).length;

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
