import { suite } from "uvu";
import * as assert from "uvu/assert";
import { installed, notes, openTemplates, templateIs, type TemplateScene } from "#test/lib/work/templates/scene.ts";

const test = suite<TemplateScene>("templates");
test.before.each((context) => openTemplates(context));
test.after.each(({ scene }) => scene.close());

test("the first spoke is installed by its Job, the next one made from the template that it wished for.", async (context) => {
  const { scene } = context;
  await scene.replica();
  const first = await installed(context, "algebra");
  const template = await templateIs(scene, "ready");
  console.log(template);
  const second = await installed(context, "geometry");
  console.log(await notes(scene, first), await notes(scene, second));
  console.log(scene.simulator.objects("Namespace").map(({metadata}) => metadata.name), scene.simulator.objects("VolumeSnapshotContent").map(({metadata}) => metadata.name), scene.simulator.objects("VolumeSnapshot").map(({metadata}) => metadata.name));
  throw new Error("see");
});

test.run();
