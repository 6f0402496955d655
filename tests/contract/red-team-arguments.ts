import type { ContractArgument } from './types.ts';

export const uuid: ContractArgument = { name: 'uuid', required: true };
export const jobId: ContractArgument = { name: 'job_id', required: true };
export const limit: ContractArgument = { name: 'limit', default: '50', kind: 'number' };
export const skip: ContractArgument = { name: 'skip', kind: 'number' };
export const search: ContractArgument = { name: 'search' };
export const paging: readonly ContractArgument[] = [limit, skip, search];
