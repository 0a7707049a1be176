import type { UpstreamSimulator } from '../../../test/simulators/upstream/index.ts';
import type { Fault } from './fault-switches.ts';

type ModelFault = Parameters<UpstreamSimulator['control']['addFault']>[0];

const REAL_MODELS = 'The models are real. Only simulated models have this fault.';
/** Seconds until a rejected client may try again. */
const RETRY_AFTER_S = 2;
/** The number of events of a stream that arrive before the connection breaks. */
const EVENTS_BEFORE_CUT = 5;

/** Faults of the simulated models; unavailable with real ones. */
export function listModelFaults(simulator: UpstreamSimulator | undefined): Fault[] {
  const unavailable = simulator ? undefined : REAL_MODELS;
  const addRule = (rule: ModelFault) => (): (() => void) => {
    const name = simulator?.control.addFault(rule);
    return () => void (name !== undefined && simulator?.control.removeFault(name));
  };
  return [
    {
      name: 'rate-limits',
      title: '429 storm',
      effect:
        'The models reject four of five requests: rate limit. People see their place in the line, and wait.',
      unavailable,
      begin: addRule({ fault: { kind: 'limited', retryAfter: RETRY_AFTER_S }, rate: 0.8 }),
    },
    {
      name: 'models-full',
      title: 'Models full (503)',
      effect:
        'The models answer every request with 503. People read that the models do not work, and can ask again.',
      unavailable,
      begin: addRule({ fault: { kind: 'error', status: 503, code: 'overloaded' } }),
    },
    {
      name: 'cut-streams',
      title: 'Cut streams',
      effect: `Every answer breaks off after ${EVENTS_BEFORE_CUT} events. People keep the text so far, with a sentence that says so.`,
      unavailable,
      begin: addRule({ fault: { kind: 'cut', after: EVENTS_BEFORE_CUT } }),
    },
    {
      name: 'lost-callbacks',
      title: 'Lost callbacks',
      effect:
        'The video service never reports that a video is done. The bot asks for it, so videos come later.',
      unavailable,
      begin: () => {
        const webhookSent = simulator?.control.settings().webhookSent;
        simulator?.control.change({ webhookSent: 'never' });
        return () => void simulator?.control.change({ webhookSent });
      },
    },
  ];
}
