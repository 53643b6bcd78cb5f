import TangoRequest

/// A feature that adds stages to the pipeline of a client.
struct AddedStages: ClientFeature {
    var aboveCache: [any Stage] = []
    var belowCache: [any Stage] = []
    var aboveTransport: [any Stage] = []

    func stages(in client: FeatureContext) -> [PlacedStage] {
        aboveCache.map { PlacedStage($0, .aboveCache) } + belowCache.map { PlacedStage($0, .belowCache) }
            + aboveTransport.map { PlacedStage($0, .aboveTransport) }
    }
}
