import * as v from 'valibot';
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
  'POST faults': (control, body) => ({ name: control.addFault(v.parse(faultRule, body)) }),
  'DELETE faults': (control, _body, name) =>
    name === '' ? control.clearFaults() : control.removeFault(name),
  'POST keys': (control, body) => control.setKey(v.parse(anyKey, body)),
  'POST models': (control, body, id) => control.setModel(id, isObject(body) ? body : {}),
  'GET settings': (control) => control.settings(),
  'POST settings': (control, body) => control.change(isObject(body) ? body : {}),
  'POST clock': (control, body) => ({ now: control.advance(v.parse(advance, body).advanceMs) }),
  'GET journal': (control) => control.journal(),
  'DELETE journal': (control) => control.clearJournal(),
  'POST videos': (control, body) => control.addVideo(v.parse(anyVideo, body)),
  'GET jobs': (control) => control.jobs(),
  'POST jobs': (control, body, id) => control.setJob(id, v.parse(jobChange, body)),
  'GET deliveries': (control) => control.deliveries(),
  'GET metered': (control) => control.metered(),
};

const anyKey = v.looseObject({ key: v.string() });
const anyVideo = v.looseObject({ id: v.string() });
const jobChange = v.partial(v.strictObject({ failure: v.string(), endNow: v.boolean() }));
const advance = v.strictObject({ advanceMs: v.pipe(v.number(), v.minValue(0)) });

/** Handles a control request; 404 for an unknown one, 400 for an invalid body. */
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
