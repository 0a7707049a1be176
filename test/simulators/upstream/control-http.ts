import * as z from 'zod/mini';
import type { Control } from './control.ts';
import { jsonAnswer } from './exchange.ts';
import type { SimAnswer } from './exchange.ts';
import { isObject, parseJson } from './json.ts';
import { faultRule } from './stream/faults.ts';

type Act = (control: Control, body: unknown, rest: string) => unknown;

/** The control interface: `METHOD /__sim/<name>`. */
const ACTS: Readonly<Record<string, Act>> = {
  'GET state': (control) => ({
    now: control.now(),
    settings: control.settings(),
    faults: control.faults(),
    requests: control.journal().length,
    metered: control.metered().length,
  }),
  'GET faults': (control) => control.faults(),
  'POST faults': (control, body) => ({ name: control.addFault(faultRule.parse(body)) }),
  'DELETE faults': (control, _body, name) =>
    name === '' ? control.clearFaults() : control.removeFault(name),
  'POST keys': (control, body) => control.setKey(z.parse(anyKey, body)),
  'POST models': (control, body, id) => control.setModel(id, isObject(body) ? body : {}),
  'GET settings': (control) => control.settings(),
  'POST settings': (control, body) => control.change(isObject(body) ? body : {}),
  'POST clock': (control, body) => ({ now: control.advance(z.parse(advance, body).advanceMs) }),
  'GET journal': (control) => control.journal(),
  'DELETE journal': (control) => control.clearJournal(),
  'POST videos': (control, body) => control.addVideo(z.parse(anyVideo, body)),
  'GET jobs': (control) => control.jobs(),
  'POST jobs': (control, body, id) => control.setJob(id, z.parse(jobChange, body)),
  'GET deliveries': (control) => control.deliveries(),
  'GET metered': (control) => control.metered(),
};

const anyKey = z.looseObject({ key: z.string() });
const anyVideo = z.looseObject({ id: z.string() });
const jobChange = z.partial(z.strictObject({ failure: z.string(), endNow: z.boolean() }));
const advance = z.strictObject({ advanceMs: z.number().check(z.gte(0)) });

/** Answers a control request; 404 for what is none, 400 for a body that does not fit. */
export function controlled(control: Control, method: string, path: string, body: string): SimAnswer {
  const [name = '', ...rest] = path.replace(/^\/__sim\//u, '').split('/');
  const act = ACTS[`${method} ${name}`];
  if (act === undefined)
    return jsonAnswer(404, { error: `No such control: ${method} ${name}`, known: Object.keys(ACTS) });
  try {
    const done = act(control, parseJson(body)?.value, decodeURIComponent(rest.join('/')));
    return jsonAnswer(200, done ?? { ok: true });
  } catch (error) {
    return jsonAnswer(400, { error: error instanceof Error ? error.message : 'That did not work.' });
  }
}
