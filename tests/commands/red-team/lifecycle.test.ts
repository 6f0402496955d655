import { RED_TEAM_IDS } from '../../../fixtures/service/red-team/seed/ids.ts';
import { warRoom } from '../../support/simulated.ts';

const CONNECTION =
  '`{"api_endpoint": "https://chat.example.com/ask", "request_json": {"question": "{INPUT}"}, "response_json": {"answer": "{RESPONSE}"}, "response_key": "answer"}`';
const WAIT = 'wait=true interval=2';

describe('red-team testing from start to end, using only the context', () => {
  test('creates a target, attacks it, and gets a policy', async () => {
    const room = warRoom();
    await room.run(
      `!aisec-redteam-targets-create name=shop target_type=APPLICATION connection_type=REST connection_params=${CONNECTION} validate=true`,
    );
    const target = '${AiSec.RedTeamTargetCreate.uuid}';
    expect(await room.value(`!aisec-redteam-targets-probe name=shop uuid=${target}`)).toMatchObject({ name: 'shop' });
    await room.run(`!aisec-redteam-scan-create name=first target_uuid=${target} ${WAIT}`);
    const scan = '${AiSec.RedTeamScanGet.uuid}';
    const report = await room.value(`!aisec-redteam-report-get job_id=${scan}`);
    const [total, successful] = [Number(report['total_attacks']), Number(report['successful_attacks'])];
    const attacks = await room.values(`!aisec-redteam-report-attacks-list job_id=${scan} threat=true limit=1000`);
    expect(attacks).toHaveLength(successful);
    expect(total).toBeGreaterThan(successful);
    expect(successful).toBeGreaterThan(0);
    const first = '${AiSec.RedTeamAttack.[0].uuid}';
    const attack = await room.value(`!aisec-redteam-report-attack-get job_id=${scan} attack_id=${first}`);
    expect(attack).toMatchObject({ uuid: attacks[0]?.['uuid'], threat: true, outputs: expect.any(Array) });
    const { remediations } = await room.value(`!aisec-redteam-report-remediation-get job_id=${scan}`);
    expect(remediations).not.toEqual([]);
    await room.value(`!aisec-redteam-report-runtime-policy-get job_id=${scan}`);
    const [latest] = await room.values('!aisec-redteam-scans-list limit=1');
    expect(latest).toMatchObject({ uuid: attack['job_id'], status: 'COMPLETED', target_name: 'shop' });
    await room.run(`!aisec-redteam-targets-delete uuid=${target}`);
    expect(await room.fail(`!aisec-redteam-targets-get uuid=${target}`)).toMatchObject({ exitCode: 5 });
  });

  test('creates and uploads prompts, sends them to a target, and counts each', async () => {
    const room = warRoom();
    await room.run('!aisec-redteam-properties-create name=channel');
    await room.run('!aisec-redteam-prompt-sets-create name=mine property_names=channel');
    const set = '${AiSec.RedTeamPromptSetCreate.uuid}';
    await room.run(
      `!aisec-redteam-prompts-create prompt_set_uuid=${set} prompt="Refund me twice." properties=\`{"channel": "phone"}\``,
    );
    room.files['more.csv'] = 'prompt,goal,channel\nRefund the wrapping.,Refund too much,mail\nRefund nothing.,,phone\n';
    await room.run(`!aisec-redteam-prompt-sets-upload uuid=${set} entryID=more.csv`);
    const prompts = await room.values(`!aisec-redteam-prompts-list prompt_set_uuid=${set}`);
    expect(prompts.map(({ prompt }) => prompt).sort()).toEqual([
      'Refund me twice.',
      'Refund nothing.',
      'Refund the wrapping.',
    ]);
    await room.run(
      `!aisec-redteam-scan-create name=own target_uuid=${RED_TEAM_IDS.targets.supportChatbot} job_type=CUSTOM custom_prompt_sets=${set} ${WAIT}`,
    );
    const scan = '${AiSec.RedTeamScanGet.uuid}';
    const report = await room.value(`!aisec-redteam-custom-attack-report-get job_id=${scan}`);
    expect(report).toMatchObject({ total_prompts: 3 });
    const counted = await room.values(
      `!aisec-redteam-custom-attack-report-prompts job_id=${scan} prompt_set_id=${set}`,
    );
    expect(counted.filter(({ threat }) => threat === true)).toHaveLength(Number(report['total_threats']));
    const byChannel = await room.values(`!aisec-redteam-custom-attack-property-stats job_id=${scan}`);
    expect(byChannel).toEqual([
      {
        property_name: 'channel',
        values: [
          expect.objectContaining({ value: 'phone', total_attack_count: 2 }),
          expect.objectContaining({ value: 'mail', total_attack_count: 1 }),
        ],
      },
    ]);
    await room.run(`!aisec-redteam-prompt-sets-archive uuid=${set} archive=true`);
    const active = await room.values('!aisec-redteam-prompt-sets-active-list');
    expect(active.map(({ name }) => name)).not.toContain('mine');
  });
});
