/** Implements the API for products and prices: https://docs.stripe.com/api/products and /prices */
import { paginate } from "#test/support/provider/lists.ts";
import { mergeMetadata, PAGE_PARAMS, type ParamRules } from "#test/support/provider/params.ts";
import type { Json, Price, Product } from "#test/support/provider/records.ts";
import { invalidParameter, ProviderError } from "#test/support/provider/api-error.ts";
import { createRoute, type Route } from "#test/support/provider/route.ts";
import { changeRecord, emit, findRecord, newId, type World } from "#test/support/provider/world.ts";

const PRODUCT: ParamRules = {
  id: "text",
  active: "boolean",
  metadata: "metadata",
  statement_descriptor: "text",
  tax_code: "text",
  unit_label: "text",
};

const SHOWN: ParamRules = {
  active: "boolean",
  description: "text or unset",
  metadata: "metadata",
  unit_label: "text or unset",
};

export const PRICES: readonly Route[] = [
  createRoute("POST", "/v1/products", { ...PRODUCT, "name*": "text", description: "text" }, createProduct),
  createRoute("GET", "/v1/products", { ...PAGE_PARAMS, active: "boolean", ids: { list: "text" } }, (world, given) => {
    const all = [...world.products.values()].filter(({ id, active }) =>
      (given.active ?? active) === active && (given.ids?.includes(id) ?? true)
    );
    return paginate("/v1/products", "product", all, given);
  }),
  createRoute("GET", "/v1/products/:id", {}, (world, _, id) => findRecord("product", world.products, id)),
  createRoute("POST", "/v1/products/:id", { ...SHOWN, name: "text" }, (world, given, id) => {
    const product = findRecord("product", world.products, id);
    changeRecord(world, "product.updated", product, () => {
      Object.assign(product, given, { metadata: mergeMetadata(product.metadata, given.metadata), updated: world.now });
    });
    return product;
  }),
  createRoute("POST", "/v1/prices", {
    "currency*": "text",
    active: "boolean",
    billing_scheme: { any: ["per_unit"] },
    lookup_key: "text",
    metadata: "metadata",
    nickname: "text",
    product: "text",
    product_data: { of: { ...PRODUCT, "name*": "text" } },
    recurring: {
      of: {
        "interval*": { any: ["day", "week", "month", "year"] },
        interval_count: "natural",
        usage_type: { any: ["licensed"] },
      },
    },
    tax_behavior: { any: ["exclusive", "inclusive", "unspecified"] },
    transfer_lookup_key: "boolean",
    unit_amount: "natural",
  }, createPrice),
  createRoute(
    "GET",
    "/v1/prices",
    {
      ...PAGE_PARAMS,
      active: "boolean",
      currency: "text",
      lookup_keys: { list: "text", most: 10 },
      product: "text",
      type: { any: ["one_time", "recurring"] },
    },
    (world, given) => {
      const all = [...world.prices.values()].filter((price) =>
        (["active", "currency", "product", "type"] as const).every((name) =>
          (given[name] ?? price[name]) === price[name]
        ) &&
        (given.lookup_keys?.includes(price.lookup_key) ?? true)
      );
      return paginate("/v1/prices", "price", all, given);
    },
  ),
  createRoute("GET", "/v1/prices/:id", {}, (world, _, id) => findRecord("price", world.prices, id)),
  createRoute(
    "POST",
    "/v1/prices/:id",
    {
      active: "boolean",
      lookup_key: "text",
      metadata: "metadata",
      nickname: "text or unset",
      transfer_lookup_key: "boolean",
    },
    (world, given, id) => {
      const price = findRecord("price", world.prices, id);
      const { transfer_lookup_key: transfer, metadata, ...rest } = given;
      const taken = given.lookup_key === price.lookup_key ? undefined : ownerOf(world, given.lookup_key, transfer);
      if (taken) changeRecord(world, "price.updated", taken, () => taken.lookup_key = null);
      changeRecord(world, "price.updated", price, () => {
        Object.assign(price, rest, { metadata: mergeMetadata(price.metadata, metadata) });
      });
      return price;
    },
  ),
];

function createProduct(world: World, given: Record<string, Json>): Product {
  const { id = newId("prod"), name, active = true, description = null, metadata, unit_label = null } = given;
  if (world.products.has(id)) {
    throw new ProviderError(400, "Product already exists.", { code: "resource_already_exists", param: "id" });
  }
  const product: Product = {
    ...{
      default_price: null,
      images: [],
      marketing_features: [],
      package_dimensions: null,
      shippable: null,
      url: null,
    },
    ...{
      statement_descriptor: given.statement_descriptor ?? null,
      tax_code: given.tax_code ?? null,
      tax_details: null,
    },
    ...{ type: "service" },
    ...{ id, object: "product", created: world.now, updated: world.now, livemode: false },
    ...{ name, active, description, metadata: mergeMetadata({}, metadata), unit_label },
  };
  world.products.set(id, product);
  emit(world, "product.created", product);
  return product;
}

function createPrice(world: World, given: Record<string, Json>): Price {
  const currency = given.currency.toLowerCase();
  if (!/^[a-z]{3}$/.test(currency)) throw invalidParameter("currency", `Invalid currency: ${currency}`);
  if (given.unit_amount === undefined) {
    throw invalidParameter("unit_amount", "Prices require an `unit_amount` to be set.", "parameter_missing");
  }
  if ((given.product === undefined) === (given.product_data === undefined)) {
    throw invalidParameter(
      "product",
      "You must specify either `product` or `product_data` when creating a price.",
      "parameter_missing",
    );
  }
  const owner = ownerOf(world, given.lookup_key, given.transfer_lookup_key);
  if (given.product !== undefined) findRecord("product", world.products, given.product, "product");
  const product: string = given.product ?? createProduct(world, given.product_data).id;
  const { interval, interval_count = 1 } = given.recurring ?? {};
  if (given.recurring && (interval_count < 1 || interval_count > 36)) {
    throw invalidParameter(
      "recurring[interval_count]",
      "Interval counts are from 1 to three years",
      "parameter_invalid_integer",
    );
  }
  const price: Price = {
    ...{ billing_scheme: "per_unit", custom_unit_amount: null, tiers_mode: null, transform_quantity: null },
    ...{ tax_behavior: given.tax_behavior ?? "unspecified", unit_amount_decimal: String(given.unit_amount) },
    ...{ id: newId("price"), object: "price", created: world.now, livemode: false },
    active: given.active ?? true,
    currency,
    lookup_key: given.lookup_key ?? null,
    metadata: mergeMetadata({}, given.metadata),
    nickname: given.nickname ?? null,
    product,
    recurring: given.recurring
      ? { interval, interval_count, meter: null, trial_period_days: null, usage_type: "licensed" }
      : null,
    type: given.recurring ? "recurring" : "one_time",
    unit_amount: given.unit_amount,
  };
  if (owner) changeRecord(world, "price.updated", owner, () => owner.lookup_key = null);
  world.prices.set(price.id, price);
  emit(world, "price.created", price);
  return price;
}

/** Returns the price with this lookup key, if any. Throws if such a price exists and `transfer` is not set. */
function ownerOf(world: World, key: string | undefined, transfer: boolean | undefined): Price | undefined {
  const owner = key === undefined ? undefined : [...world.prices.values()].find(({ lookup_key }) => lookup_key === key);
  if (owner && !transfer) {
    throw invalidParameter("lookup_key", `A price (\`${owner.id}\`) already uses that lookup key.`);
  }
  return owner;
}
