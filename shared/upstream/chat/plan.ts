import type { CallOptions } from '../config.ts';
import { BadRequestError } from '../errors.ts';
import type { Client } from '../http/client.ts';
import { outputBudget } from '../models/budget.ts';
import { type Calibration, estimateRequest } from '../models/estimate.ts';
import { fit, suits } from '../models/fit.ts';
import type { Model } from '../models/model.ts';
import type { Models } from '../models/models.ts';
import { legacyBody } from './legacy.ts';
import { currentBody } from './request.ts';
import type { Plan } from './stream.ts';
import type { ChatOptions, ChatRequest } from './types.ts';

/** What plans are made from. */
export type Planning = {
  readonly client: Client;
  readonly models: Models;
  readonly calibration: Calibration;
  readonly maxTokens: number;
  readonly fitToModel: boolean;
};

/**
 * How to go about a request: as it stands, or, where requests are fitted, with what each model supports, an output
 * budget that its context has room for, and a chain without models that could not answer.
 */
export function planFor(
  request: ChatRequest,
  stream: boolean,
  planning: Planning,
  options: ChatOptions,
): Plan {
  const { client, models, calibration, fitToModel } = planning;
  const estimates = new Map<string, number>();
  const lookUp = async (id: string): Promise<Model | undefined> =>
    fitToModel ? find(models, id, options) : undefined;
  return {
    models: async () => {
      const chain = [request.model, ...(options.fallbackModels ?? [])];
      if (!fitToModel || chain.length === 1) return chain;
      const able: string[] = [];
      for (const id of chain) {
        const model = await lookUp(id);
        if (model === undefined || suits(request, model)) able.push(id);
      }
      return able.length > 0 ? able : chain;
    },
    bodyFor: async (id) => {
      const model = await lookUp(id);
      const fitted = model === undefined ? { request, omitted: [] } : fit(request, model);
      const wanted = request.maxTokens ?? planning.maxTokens;
      const estimate = fitToModel ? estimateRequest(fitted.request) : 0;
      estimates.set(id, estimate);
      const maxTokens =
        model === undefined ? wanted : roomIn(model, wanted, estimate * calibration.factor(id));
      const whole = { ...fitted.request, model: id, maxTokens };
      const { body, omitted } =
        client.shape === 'legacy' ? legacyBody(whole, stream) : currentBody(whole, stream);
      return { body, omitted: [...fitted.omitted, ...omitted] };
    },
    ended: ({ model, usage }) => {
      // The served model's name may be longer than the one asked for; the estimate is kept under the latter.
      const id = estimates.has(model) ? model : [...estimates.keys()].at(-1);
      if (id !== undefined && usage !== undefined)
        calibration.learn(id, estimates.get(id) ?? 0, usage.promptTokens);
    },
    failed: ({ kind }) => {
      if (kind === 'unknown-model') models.forget();
    },
  };
}

/** A list that cannot be had is no reason not to ask the model. */
async function find(models: Models, id: string, options: CallOptions): Promise<Model | undefined> {
  const { signal, deadline } = options;
  try {
    return await models.get(id, { signal, deadline });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return undefined;
  }
}

function roomIn(model: Model, wanted: number, promptTokens: number): number {
  const budget = outputBudget(wanted, promptTokens, model);
  if (budget.kind === 'room') return budget.maxTokens;
  throw new BadRequestError(`The prompt is about ${budget.excess} tokens too long for ${model.id}.`, {
    code: 'context_length_exceeded',
    param: 'messages',
  });
}
