//! Bytes of keys and values that a language model stores per token: layers × key-value heads × head
//! size × 2 (keys and values) × bytes of a number.

/// A language model.
#[derive(Debug)]
pub struct Model {
    /// Name in a plan.
    pub name: &'static str,
    layers: u64,
    kv_heads: u64,
    head_size: u64,
    number_bytes: u64,
}

const fn model(name: &'static str, layers: u64, kv_heads: u64, head_size: u64) -> Model {
    // fp16 or bf16, as published.
    Model { name, layers, kv_heads, head_size, number_bytes: 2 }
}

/// Every model. Numbers are from each model's published `config.json`: `num_hidden_layers`,
/// `num_key_value_heads` and `hidden_size` / `num_attention_heads`.
static ALL: [Model; 6] = [
    model("llama-3.1-8b", 32, 8, 128),
    model("llama-3.1-70b", 80, 8, 128),
    model("llama-3.1-405b", 126, 8, 128),
    model("llama-2-7b", 32, 32, 128),
    model("mistral-7b", 32, 8, 128),
    model("qwen2.5-7b", 28, 4, 128),
];

/// Names of the models, for the knob.
pub const NAMES: &[&str] =
    &["llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b", "llama-2-7b", "mistral-7b", "qwen2.5-7b"];

/// The model with this name.
pub fn find(name: &str) -> Option<&'static Model> {
    ALL.iter().find(|model| model.name == name)
}

impl Model {
    /// Bytes of keys and values of one token.
    pub fn token_bytes(&self) -> u64 {
        self.layers * self.kv_heads * self.head_size * 2 * self.number_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_of_512_tokens_has_the_published_size() {
        let mib = |name| find(name).map(|model| (model.token_bytes() * 512) >> 20);
        assert_eq!(mib("llama-3.1-8b"), Some(64));
        assert_eq!(mib("llama-3.1-70b"), Some(160));
        assert_eq!(mib("llama-2-7b"), Some(256));
        assert!(NAMES.iter().copied().eq(ALL.iter().map(|model| model.name)));
    }
}
